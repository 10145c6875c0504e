/**
 * A request that stays open: deliveries come in its body, and their responses go in the response's.
 */
import { pause, turn } from "../runtime.ts";
import type { Answer, Answering, Incoming } from "../workflow/incoming.ts";
import { encodeFrame, type Frame, FrameReader, joined } from "./channel-frames.ts";
import { type HeadersByName, NodeHeaders, webHeadersOf } from "./node-headers.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";

const NAME = "Svc-Workflow-Channel";
const VERSION = "1";
/** Tells the service that it may open one. */
export const CHANNEL_OFFER: Readonly<Record<string, string>> = { [NAME]: VERSION };

export function isChannel({ headers }: NodeRequest): boolean {
  return headers[NAME.toLowerCase()] === VERSION;
}

/** Answers deliveries until the request ends, and then those that are still in progress. */
export async function answerChannel(
  url: string,
  request: NodeRequest,
  response: NodeResponse,
  answering: (incoming: Incoming) => ReturnType<Answering>,
): Promise<void> {
  response.writeHead(200, { "Content-Type": CONTENT_TYPE, ...CHANNEL_OFFER });
  const outgoing = new Outgoing(response);
  const reader = new FrameReader();
  const working = new Set<Promise<void>>();
  let workingBytes = 0;
  const take = (frame: Frame): void => {
    workingBytes += frame.body.length;
    const work = answerFrame(url, frame, request, outgoing, answering).finally(() => {
      workingBytes -= frame.body.length;
      working.delete(work);
    });
    working.add(work);
  };
  const isFull = (): boolean => working.size >= WORKING_MAX || workingBytes >= WORKING_BYTES_MAX;
  try {
    for await (const chunk of withinTime(request)) {
      for (const frame of reader.add(chunk as Uint8Array)) take(frame);
      while (isFull()) await Promise.race(working);
    }
  } catch {
    // The sender is gone, or does not send frames; deliveries in progress are sent again.
  }
  await Promise.all(working);
  outgoing.end();
}

/** The service ends its request long before. A sender that does not is not read any further. */
async function* withinTime(request: NodeRequest): AsyncGenerator {
  const over = new AbortController();
  const expired = pause(OPEN_MS_MAX, over.signal).then(() => ({ done: true, value: undefined }));
  const chunks = request[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), expired]);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    over.abort();
    // Not awaited: a sender that sends nothing would block it.
    void chunks.return?.().catch(() => undefined);
  }
}

async function answerFrame(
  url: string,
  { id, head, body }: Frame,
  channel: NodeRequest,
  outgoing: Outgoing,
  answering: (incoming: Incoming) => ReturnType<Answering>,
): Promise<void> {
  if (id === PING) return outgoing.add(encodeFrame(PING, "", ""));
  const own = headersOf(head);
  if (own === undefined) return outgoing.add(frameOf(id, UNREADABLE));
  // Proxies have seen the request of the channel, and none of the deliveries in it.
  const headers = { ...own, host: channel.headers["host"], ...forwardedHost(channel) };
  const method = "POST";
  const asRequest = (): Request =>
    new Request(url, { method, headers: webHeadersOf(headers), body });
  const incoming = { method, url, headers: new NodeHeaders(headers), body, asRequest };
  outgoing.add(frameOf(id, await answering(incoming)));
}

function forwardedHost({ headers }: NodeRequest): HeadersByName {
  return { "x-forwarded-host": headers["x-forwarded-host"] };
}

function frameOf(id: number, { status, headers, body }: Answer): Uint8Array {
  return encodeFrame(id, JSON.stringify([status, ...Object.entries(headers).flat()]), body);
}

/** Headers by their names in lower case, from a list of names and values in turn. */
function headersOf(head: string): HeadersByName | undefined {
  const list = listOf(head);
  if (list === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = list[at]!.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? list[at + 1]! : `${before}, ${list[at + 1]!}`;
  }
  return headers;
}

function listOf(head: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(head);
    const isList = Array.isArray(list) && list.every((part) => typeof part === "string");
    return isList ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Responses of one turn of the event loop are written together. */
class Outgoing {
  readonly #response: NodeResponse;
  #batch: Uint8Array[] = [];

  constructor(response: NodeResponse) {
    this.#response = response;
  }

  add(frame: Uint8Array): void {
    if (this.#batch.push(frame) === 1) void turn().then(() => this.#flush());
  }

  end(): void {
    this.#flush();
    this.#response.end("");
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    if (batch.length > 0) this.#response.write?.(joined(batch));
  }
}

const UNREADABLE: Answer = {
  status: 400,
  headers: {},
  body: "the head of the frame cannot be read",
};
const CONTENT_TYPE = "application/vnd.postrider.channel";
const PING = 0;
/** Reading pauses while this many deliveries are in progress. */
const WORKING_MAX = 1_024;
const WORKING_BYTES_MAX = 16 * 1024 * 1024;
const OPEN_MS_MAX = 60_000;
