/** The filter of the messages: the URL's words, as the API's parameters and as a test of an entry. */
import type { LogEntry } from "../../../sdk/src/answers/message.ts";
import type { LogState } from "../../../sdk/src/answers/words.ts";
import { TIMES } from "../parts/filter-fields.ts";
import { isToHost } from "./to-host.ts";

export interface MessageFilter {
  readonly state: LogState | null;
  readonly label: string | null;
  readonly url: string | null;
  readonly host: string | null;
  readonly queue: string | null;
  readonly key: string | null;
  readonly schedule: string | null;
  readonly group: string | null;
  /** How far back, as `1h`, `24h` or `7d`. */
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
  const age = filter.time === null ? undefined : TIMES[filter.time];
  return {
    label: filter.label,
    url: filter.url,
    queueName: filter.queue,
    flowControlKey: filter.key,
    scheduleId: filter.schedule,
    topicName: filter.group,
    fromDate: age === undefined ? null : now - age.ms,
  };
}

/** Whether a new entry belongs to the list; its state is not asked. */
export function matches(filter: MessageFilter, entry: LogEntry): boolean {
  const labels = entry.labels ?? [];
  return (
    (filter.label === null || labels.includes(filter.label)) &&
    (filter.url === null || entry.url === filter.url) &&
    isToHost(filter.host, entry.url) &&
    (filter.queue === null || entry.queueName === filter.queue) &&
    (filter.key === null || entry.flowControlKey === filter.key) &&
    (filter.schedule === null || entry.scheduleId === filter.schedule) &&
    (filter.group === null || entry.topicName === filter.group)
  );
}

/** These are asked of the list of messages that have not ended, since a log entry does not say what came after it. */
export function isOpenState(state: LogState | null): boolean {
  return state === "CREATED" || state === "ACTIVE" || state === "RETRY";
}
