/** Builds the headers of a delivery: the publisher's first, ours last, so that ours win. */

import {
  DELIVERY_DIALECTS,
  type DeliveryDialect,
  DIALECTS,
} from "../../core/model/message/dialect.ts";
import type { DialectName, Message } from "../../core/model/message/message.ts";
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
  const dialect = DELIVERY_DIALECTS[message.dialect];
  const list: string[] = [];
  let namesUserAgent = false;
  for (const [name, value] of message.headers) {
    const problem = headerProblem(name, value);
    if (problem !== null) return { list: [], problem };
    const lowerName = name.toLowerCase();
    if (isWrittenHere(lowerName, message)) continue;
    if (lowerName === "user-agent") namesUserAgent = true;
    list.push(name, value);
  }
  if (!namesUserAgent) list.push("User-Agent", dialect.userAgent);
  appendOwn(list, message, dialect, retried, signature, region);
  return { list, problem: null };
}

/** What this service adds to the publisher's headers, without what changes from attempt to attempt. */
export function addedHeaders(message: Message, region: string): Record<string, string[]> {
  const { list } = outboundHeaders(message, 0, "", region);
  const named = new Set(message.headers.map(([name]) => name.toLowerCase()));
  const added: Record<string, string[]> = {};
  for (let at = 0; at < list.length; at += 2) {
    const [name, value] = [list[at]!, list[at + 1]!];
    const isOfAttempt = /-(Signature|Retried)$/.test(name);
    if (!named.has(name.toLowerCase()) && !isOfAttempt) added[name] = [value];
  }
  return added;
}

/** Both sets hold the same values: one signature stands under both names. */
function appendOwn(
  list: string[],
  message: Message,
  { dialects }: DeliveryDialect,
  retried: number,
  signature: string,
  region: string,
): void {
  const callerIp = headerText(message.callerIp);
  const regionText = headerText(region);
  const hop = String((message.hops ?? 0) + 1);
  for (const { name } of dialects) {
    const names = NAMES[name];
    list.push(
      names["Signature"],
      signature,
      names["Message-Id"],
      message.messageId,
      names["Retried"],
      String(retried),
      names["Caller-Ip"],
      callerIp,
      names["Region"],
      regionText,
      names["Hop"],
      hop,
    );
    appendRun(list, message, names);
    if (message.urlGroup !== undefined) {
      list.push(names["Topic-Name"], headerText(message.urlGroup));
    }
    if (message.scheduleId !== undefined) {
      list.push(names["Schedule-Id"], headerText(message.scheduleId));
    }
  }
}

/**
 * Headers about the run for the endpoint of a workflow. A third party that the run calls gets none,
 * and only a step may name its protocol, by which its body is read.
 */
function appendRun(list: string[], { kind, run }: Message, names: OwnNames): void {
  if (run === undefined || kind === "call") return;
  list.push(
    names["Workflow-RunId"],
    run.runId,
    names["Workflow-CreatedAt"],
    String(run.createdAt),
    names["Workflow-Url"],
    headerUrl(run.workflowUrl),
  );
  if (kind !== "step") return;
  list.push(names[SDK_VERSION], PROTOCOL_VERSION);
  list.push(names["Workflow-Reply"], REPLY_VERSION);
}

/** A publisher's header that this delivery has of its own, with whatever prefix. */
function isWrittenHere(lowerName: string, { kind, run }: Message): boolean {
  const dialect = PREFIXES.find((prefix) => lowerName.startsWith(prefix));
  if (dialect === undefined) return false;
  const name = lowerName.slice(dialect.length);
  if (OWN_NAMES.has(name)) return true;
  if (run === undefined || kind === "call") return false;
  return RUN_NAMES.has(name) || (kind !== "failure-call" && name === SDK_VERSION.toLowerCase());
}

/** A name chosen by a user may contain any character; a header may not. */
function headerText(text: string): string {
  return isHeaderValue(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** The same for a URL, which keeps its meaning. */
function headerUrl(url: string): string {
  return url.replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()));
}

const SDK_VERSION = "Workflow-Sdk-Version";
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

type OwnName = (typeof DELIVERY_HEADERS | typeof RUN_HEADERS)[number]["name"];
type OwnNames = Readonly<Record<OwnName | typeof SDK_VERSION, string>>;

/** Made once, since every delivery needs them. */
const NAMES: Readonly<Record<DialectName, OwnNames>> = {
  svc: namesWith(DIALECTS.svc.prefix),
  upstash: namesWith(DIALECTS.upstash.prefix),
};
const PREFIXES = Object.values(DIALECTS).map(({ lowerPrefix }) => lowerPrefix);
const RUN_NAMES = lowerNames(RUN_HEADERS);
const OWN_NAMES = lowerNames(DELIVERY_HEADERS);

function namesWith(prefix: string): OwnNames {
  const names = [...DELIVERY_HEADERS, ...RUN_HEADERS].map(({ name }) => name);
  const entries = [...names, SDK_VERSION].map((name) => [name, prefix + name]);
  return Object.fromEntries(entries) as OwnNames;
}

function lowerNames(rows: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ name }) => name.toLowerCase()));
}
