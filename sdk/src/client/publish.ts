/** The messages of the client's callers, and the requests made from them. */
import { PostriderError } from "../errors.ts";
import { type OptionNames, requireKnown } from "../option-names.ts";
import {
  type HeaderRecord,
  MESSAGE_SETTINGS,
  type MessageSettings,
  messageHeaders,
} from "../settings.ts";
import type { BodyInput, HeadersInput } from "../web-types.ts";
import type { Published } from "../answers/message.ts";
import type { Problem } from "../answers/problem.ts";

export interface PublishToUrl<Body = BodyInput> extends MessageSettings {
  readonly url: string;
  readonly urlGroup?: undefined;
  readonly body?: Body | undefined;
}

/** Every endpoint of the group gets its own message. */
export interface PublishToGroup<Body = BodyInput> extends MessageSettings {
  readonly urlGroup: string;
  readonly url?: undefined;
  readonly body?: Body | undefined;
}

export type Publish<Body = BodyInput> = PublishToUrl<Body> | PublishToGroup<Body>;

/** A message among others; with the name of a queue it is enqueued. */
export type BatchItem<Body = string> = Publish<Body> & { readonly queueName?: string | undefined };

export type PublishAnswer = Published | readonly Published[];

/** An element of a batch's response; a refused message has the reason in its place. */
export type BatchAnswer = PublishAnswer | Problem;

/** Sends messages of one kind; the result is a list for a URL group. */
export interface PublishMethod<Body> {
  (message: PublishToUrl<Body>): Promise<Published>;
  (message: PublishToGroup<Body>): Promise<readonly Published[]>;
  (message: Publish<Body>): Promise<PublishAnswer>;
}

const MESSAGE: OptionNames<Publish> = {
  ...MESSAGE_SETTINGS,
  url: true,
  urlGroup: true,
  body: true,
};
const BATCH_ITEM: OptionNames<BatchItem> = { ...MESSAGE, queueName: true };

/** The destination of a message whose options exist. */
export function destinationOf(message: Publish<unknown>, names = MESSAGE): string {
  requireKnown("a message", message, names);
  const { url, urlGroup }: { readonly url?: unknown; readonly urlGroup?: unknown } = message;
  if (url !== undefined && urlGroup !== undefined) {
    throw new PostriderError("a message needs a url or a urlGroup, not both");
  }
  const destination = url ?? urlGroup;
  if (typeof destination === "string" && destination !== "") return destination;
  throw new PostriderError("a message needs a url, or a urlGroup");
}

/** The same message with its body as JSON, and a matching Content-Type. */
export function asJson<Message extends Publish<unknown>>(message: Message): Message & JsonBody {
  const given: unknown = message;
  if (typeof given !== "object" || given === null) requireKnown("a message", given, MESSAGE);
  const headers = new Headers(message.headers);
  if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
  const body = JSON.stringify(message.body) as string | undefined;
  if (body === undefined && message.body !== undefined) {
    throw new PostriderError(`the body is a ${typeof message.body}, which JSON does not have`);
  }
  return { ...message, headers, body } as Message & JsonBody;
}

interface JsonBody {
  readonly body: string | undefined;
}

/** Not one message alone, which the compiler does not see in JavaScript. */
export function requireList<Item>(messages: readonly Item[]): readonly Item[] {
  if (Array.isArray(messages)) return messages;
  throw new PostriderError("a batch must be a list of messages");
}

export interface BatchEntry {
  readonly destination: string;
  readonly headers: HeaderRecord;
  readonly body: string | undefined;
  readonly queue: string | undefined;
}

export function batchEntry(item: BatchItem, always: HeadersInput | undefined): BatchEntry {
  if (item.body !== undefined && typeof item.body !== "string") {
    throw new PostriderError("the body of a message in a batch must be a string");
  }
  return {
    destination: destinationOf(item, BATCH_ITEM),
    headers: messageHeaders(item, always),
    body: item.body,
    queue: item.queueName,
  };
}
