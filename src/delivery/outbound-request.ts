/** Puts together the headers of a delivery: the publisher's first, ours last, so that ours win. */

import { DIALECTS, type Dialect } from "../core/model/dialect.ts";
import type { Message } from "../core/model/message.ts";
import { headerProblem, isHeaderValue } from "../core/rules/header-safety.ts";

export interface OutboundHeaders {
  /** Names and values in turn. */
  readonly list: string[];
  /** Why they must not be sent, or null: the HTTP client is never given what it would refuse. */
  readonly problem: string | null;
}

export function outboundHeaders(
  message: Message,
  retried: number,
  signature: string,
  region: string,
): OutboundHeaders {
  const dialect = DIALECTS[message.dialect];
  const list: string[] = [];
  let namesUserAgent = false;
  for (const [name, value] of message.headers) {
    const problem = headerProblem(name, value);
    if (problem !== null) return { list: [], problem };
    const lowerName = name.toLowerCase();
    if (isWrittenHere(lowerName, dialect)) continue;
    if (lowerName === "user-agent") namesUserAgent = true;
    list.push(name, value);
  }
  if (!namesUserAgent) list.push("User-Agent", dialect.userAgent);
  appendOwn(list, message, dialect, retried, signature, region);
  return { list, problem: null };
}

function appendOwn(
  list: string[],
  message: Message,
  { prefix }: Dialect,
  retried: number,
  signature: string,
  region: string,
): void {
  list.push(
    `${prefix}Signature`,
    signature,
    `${prefix}Message-Id`,
    message.messageId,
    `${prefix}Retried`,
    String(retried),
    `${prefix}Caller-Ip`,
    headerText(message.callerIp),
    `${prefix}Region`,
    headerText(region),
    `${prefix}Hop`,
    String((message.hops ?? 0) + 1),
  );
  if (message.topicName !== undefined) {
    list.push(`${prefix}Topic-Name`, headerText(message.topicName));
  }
  if (message.scheduleId !== undefined) {
    list.push(`${prefix}Schedule-Id`, headerText(message.scheduleId));
  }
}

function isWrittenHere(lowerName: string, { lowerPrefix }: Dialect): boolean {
  return lowerName.startsWith(lowerPrefix) && OWN_NAMES.has(lowerName.slice(lowerPrefix.length));
}

/** A name chosen by a user may hold any letter; a header may not. */
function headerText(text: string): string {
  return isHeaderValue(text) ? text : encodeURIComponent(text.toWellFormed());
}

const OWN_NAMES: ReadonlySet<string> = new Set([
  "caller-ip",
  "hop",
  "message-id",
  "region",
  "retried",
  "schedule-id",
  "signature",
  "topic-name",
]);
