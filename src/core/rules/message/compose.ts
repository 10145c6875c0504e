import type { PublishItem } from "../../act.ts";
import type { Message } from "../../model/message/message.ts";
import { Problem } from "../../problem.ts";
import { type Composition, composeMessage, newMessage, type Origin } from "./compose-message.ts";
import { deduplicationOf, type TakenKey } from "./deduplication.ts";

/** One publish: what is sent, and to whom. It becomes one message for each recipient. */
export interface Publication extends Pick<
  Composition,
  "account" | "options" | "body" | "callerIp" | "at"
> {
  /** Never empty: the URL that was named, or the endpoints of the group. */
  readonly recipients: readonly Recipient[];
  /** What all its messages share of where they come from. */
  readonly origin?: Omit<Origin, "endpointName"> | undefined;
}

export interface Recipient {
  readonly url: string;
  /** Of the URL, as messages to one host share a line. */
  readonly host: string;
  readonly endpointName?: string | undefined;
  /** Drawn beforehand, since rules draw nothing. */
  readonly messageId: string;
}

/** A message that is about to be published. */
export interface Composed {
  readonly message: Message;
  readonly host: string;
  readonly body: Uint8Array;
  readonly deduplication: TakenKey | null;
}

/** Makes the messages of a publish, or refuses what the account's plan does not allow. */
export function compose(publication: Publication): Composed[] {
  const { options, body, at, origin, recipients } = publication;
  const keyOfUrl = deduplicationOf(options, body, at, origin?.urlGroup);
  // What does not depend on the recipient is worked out once: a body may be large to hash.
  const [first] = recipients;
  const shared = composeMessage({
    ...publication,
    url: first?.url ?? "",
    messageId: first?.messageId ?? "",
  });
  return recipients.map(({ url, host, endpointName, messageId }) => ({
    message: {
      ...shared,
      messageId,
      url,
      endpointName,
      rootId: shared.rootId === undefined ? undefined : messageId,
    },
    host,
    body,
    deduplication: keyOfUrl === null ? null : keyOfUrl(url),
  }));
}

/** Refuses what is too large to be stored for each endpoint: a group multiplies what was sent to us. */
export function requireStorable(endpoints: number, body: Uint8Array, bytesMax: number): void {
  if (endpoints > 1 && endpoints * body.byteLength > bytesMax) {
    const sentence = `the body, times ${endpoints} endpoints, is larger than ${bytesMax} bytes`;
    throw new Problem("body-too-large", sentence);
  }
}

/**
 * What the publish rule is given. On a node that has a slot for it, it is under way already; or the
 * rule is to say whether it is, where it has a queue or a key to go through.
 */
export function publishItem(composed: Composed, nodeId: string | undefined): PublishItem {
  const { message, host, body, deduplication } = composed;
  if (message.queueName === undefined && message.flowControl === undefined) {
    return { message: newMessage(message, host, body, nodeId ?? null), deduplication };
  }
  return { message: newMessage(message, host, body, null), deduplication, nodeId };
}
