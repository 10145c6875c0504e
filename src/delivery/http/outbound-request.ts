/** Builds the headers of a delivery: the publisher's first, ours last, so that ours win. */

import { DIALECTS, type Dialect } from "../../core/model/message/dialect.ts";
import type { Message } from "../../core/model/message/message.ts";
import { headerProblem, isHeaderValue } from "../../core/policy/headers/header-safety.ts";

export interface OutboundHeaders {
  /** Names and values in turn. */
  readonly list: string[];
  /**
   * Why they must not be sent, or null: the HTTP client is never given headers that it would
   * refuse.
   */
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
    if (isWrittenHere(lowerName, dialect) || isOfRun(lowerName, message, dialect)) continue;
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
  appendRun(list, message, prefix);
  if (message.urlGroup !== undefined) {
    list.push(`${prefix}Topic-Name`, headerText(message.urlGroup));
  }
  if (message.scheduleId !== undefined) {
    list.push(`${prefix}Schedule-Id`, headerText(message.scheduleId));
  }
}

/**
 * Headers about the run for the endpoint of a workflow. A third party that the run calls gets none,
 * and only a step may name its protocol, by which its body is read.
 */
function appendRun(list: string[], { kind, run }: Message, prefix: string): void {
  if (run === undefined || kind === "call") return;
  list.push(
    `${prefix}Workflow-RunId`,
    run.runId,
    `${prefix}Workflow-CreatedAt`,
    String(run.createdAt),
    `${prefix}Workflow-Url`,
    headerText(run.workflowUrl),
  );
  if (kind !== "step") return;
  list.push(`${prefix}Workflow-Sdk-Version`, PROTOCOL_VERSION);
  list.push(`${prefix}Workflow-Reply`, REPLY_VERSION);
}

function isWrittenHere(lowerName: string, { lowerPrefix }: Dialect): boolean {
  return lowerName.startsWith(lowerPrefix) && OWN_NAMES.has(lowerName.slice(lowerPrefix.length));
}

function isOfRun(lowerName: string, { kind, run }: Message, { lowerPrefix }: Dialect): boolean {
  if (run === undefined || kind === "call" || !lowerName.startsWith(lowerPrefix)) return false;
  const name = lowerName.slice(lowerPrefix.length);
  return RUN_NAMES.has(name) || (kind !== "failure-call" && name === "workflow-sdk-version");
}

/** A name chosen by a user may contain any character; a header may not. */
function headerText(text: string): string {
  return isHeaderValue(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** Of the protocol between this service and the endpoints of workflows. */
const PROTOCOL_VERSION = "1";

/** An endpoint may answer with what it would otherwise submit: see wire/workflow/reply.ts. */
const REPLY_VERSION = "1";

/** Headers that a delivery of a run carries; a call to a third party does not. */
export const RUN_HEADERS = [
  { name: "Workflow-RunId", says: "The id of the run." },
  { name: "Workflow-CreatedAt", says: "Unix milliseconds. Tells runs with the same id apart." },
  { name: "Workflow-Url", says: "The URL of the workflow." },
  { name: "Workflow-Reply", says: "Only on steps: the endpoint may answer with its next step." },
] as const;

/** Headers that every delivery carries, or those with the property that the sentence names. */
export const DELIVERY_HEADERS = [
  { name: "Signature", says: "Signs the URL and the body. Verify it before you use the body." },
  { name: "Message-Id", says: "The id of the message. It is the same on every attempt." },
  { name: "Retried", says: "Attempts made before this one: 0 on the first." },
  { name: "Caller-Ip", says: "The address of the client that published the message." },
  { name: "Region", says: "The value of `--region`." },
  { name: "Hop", says: "How often the message came through Postrider, this time included." },
  { name: "Topic-Name", says: "Only if published to a URL group: its name." },
  { name: "Schedule-Id", says: "Only if published by a schedule: its id." },
] as const;

const RUN_NAMES = lowerNames(RUN_HEADERS);
const OWN_NAMES = lowerNames(DELIVERY_HEADERS);

function lowerNames(rows: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ name }) => name.toLowerCase()));
}
