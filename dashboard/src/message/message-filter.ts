/** The filter of the messages: the URL's words, as the API's parameters and as a test of an entry. */
import type { LogEntry } from "../../../sdk/src/answers/message.ts";
import type { LogState, WaitReason } from "../../../sdk/src/answers/words.ts";
import { filterValues, sinceAt } from "../parts/filter-fields.ts";
import { isToHost } from "./to-host.ts";

export interface MessageFilter {
  readonly state: LogState | null;
  /** Of these messages, separated by commas. */
  readonly ids: string | null;
  /** A text in the URL, a label or the error. */
  readonly q: string | null;
  /** Of the last answer. */
  readonly status: string | null;
  /** A text in the error. */
  readonly error: string | null;
  /** What they wait for: a reason, or `any`. */
  readonly waiting: string | null;
  readonly label: string | null;
  /** How the URL begins. */
  readonly url: string | null;
  readonly host: string | null;
  readonly queue: string | null;
  readonly key: string | null;
  readonly schedule: string | null;
  readonly group: string | null;
  /** How far back, as `1h`, `30m` or `7d`, or since which day. */
  readonly time: string | null;
}

export const STATES: readonly LogState[] = [
  "CREATED",
  "ACTIVE",
  "RETRY",
  "ERROR",
  "DELIVERED",
  "FAILED",
  "CANCELED",
];

export function filterOf(query: URLSearchParams): MessageFilter {
  const state = query.get("state")?.toUpperCase() as LogState | undefined;
  return {
    state: state !== undefined && STATES.includes(state) ? state : null,
    ids: query.get("ids"),
    q: query.get("q"),
    status: query.get("status"),
    error: query.get("error"),
    waiting: query.get("waiting"),
    label: query.get("label"),
    url: query.get("url"),
    host: query.get("host"),
    queue: query.get("queue"),
    key: query.get("key"),
    schedule: query.get("schedule"),
    group: query.get("group"),
    time: query.get("time"),
  };
}

/** The parameters that both lists of the API take. */
export function apiQuery(
  filter: MessageFilter,
  now: number,
): Record<string, string | number | null> {
  return {
    messageIds: filter.ids,
    search: filter.q,
    label: filter.label,
    urlPrefix: filter.url,
    queueName: filter.queue,
    flowControlKey: filter.key,
    scheduleId: filter.schedule,
    topicName: filter.group,
    fromDate: sinceAt(filter.time, now),
  };
}

/** The parameters of the list of messages that have not ended. */
export function openQuery(filter: MessageFilter, now: number) {
  const { waiting, host } = filter;
  const waitingFor = waiting === "any" ? WAIT_REASONS.join(",") : waiting;
  return { ...apiQuery(filter, now), host, waitingFor };
}

/** The parameters of the log. */
export function logQuery(filter: MessageFilter, now: number) {
  const { host, state, status, error } = filter;
  return { ...apiQuery(filter, now), host, state, responseStatus: status, errorText: error };
}

export const WAIT_REASONS: readonly WaitReason[] = [
  "delay",
  "retry",
  "paused",
  "queue-full",
  "key-rate",
  "key-parallelism",
  "account-parallelism",
  "host-full",
  "host-failing",
  "node-full",
];

/** Whether a new entry belongs to the list; its state is not asked. */
export function matches(filter: MessageFilter, entry: LogEntry): boolean {
  const labels = entry.labels ?? [];
  return (
    isAmong(filter.ids, [entry.messageId]) &&
    (filter.q === null || hasText(filter.q, [entry.url, entry.error, ...labels])) &&
    isOfStatus(filter.status, entry.responseStatus, entry.error) &&
    (filter.error === null || hasText(filter.error, [entry.error])) &&
    isAmong(filter.label, labels) &&
    (filter.url === null || filter.url.split(NEXT_URL).some((url) => entry.url.startsWith(url))) &&
    isToHost(filter.host, entry.url) &&
    isAmong(filter.queue, [entry.queueName]) &&
    (filter.key === null || entry.flowControlKey === filter.key) &&
    isAmong(filter.schedule, [entry.scheduleId]) &&
    isAmong(filter.group, [entry.topicName])
  );
}

/** A URL may hold commas, so that only one before the next URL separates. */
const NEXT_URL = /,(?=https?:\/\/)/;

function isAmong(wanted: string | null, values: readonly (string | undefined)[]): boolean {
  return wanted === null || filterValues(wanted).some((each) => values.includes(each));
}

/** As the API does it, 0 is for an attempt without an answer, of which an error tells. */
export function isOfStatus(
  wanted: string | null,
  status: number | null | undefined,
  error: string | null | undefined,
): boolean {
  const found = status ?? (typeof error === "string" ? 0 : undefined);
  return isAmong(wanted, [found?.toString()]);
}

/** Some entries may have to be passed over for each that is listed. */
export function isSearch(filter: MessageFilter): boolean {
  return Object.entries(filter).some(
    ([name, value]) => value !== null && name !== "time" && name !== "waiting",
  );
}

/** Only the state is filtered, so that counts of the account apply. */
export function isOfAll(filter: MessageFilter): boolean {
  return Object.entries(filter).every(([name, value]) => value === null || name === "state");
}

export function hasText(wanted: string, texts: readonly (string | null | undefined)[]): boolean {
  const text = wanted.toLowerCase();
  return texts.some((each) => each?.toLowerCase().includes(text) ?? false);
}

/** These are asked of the list of messages that have not ended, since a log entry does not say what came after it. */
export function isOfOpen({ state, waiting }: Pick<MessageFilter, "state" | "waiting">): boolean {
  return waiting !== null || state === "CREATED" || state === "ACTIVE" || state === "RETRY";
}
