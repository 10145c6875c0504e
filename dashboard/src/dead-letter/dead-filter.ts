/** The filter of the dead letters: the URL's words as the API's parameters, for messages and for runs. */
import { sinceAt } from "../parts/filter-fields.ts";

/** The words of the URL, with the parameter of each list; null where that list has none. */
const FIELDS = {
  q: { messages: "search", runs: "search" },
  label: { messages: "label", runs: "label" },
  host: { messages: "host", runs: "host" },
  url: { messages: "urlPrefix", runs: "workflowUrl" },
  status: { messages: "responseStatus", runs: "responseStatus" },
  error: { messages: "errorText", runs: "errorText" },
  cause: { messages: "cause", runs: "cause" },
  queue: { messages: "queueName", runs: null },
  key: { messages: "flowControlKey", runs: "flowControlKey" },
  schedule: { messages: "scheduleId", runs: null },
  topic: { messages: "topicName", runs: null },
  run: { messages: null, runs: "workflowRunId" },
  caller: { messages: "callerIp", runs: "callerIp" },
} as const;

export const DEAD_FIELDS = [...(Object.keys(FIELDS) as (keyof typeof FIELDS)[]), "time"] as const;

export type GroupedBy = "error" | "host";

/** Groups have no filters: with one the dead letters are a list. */
export function groupedBy(query: URLSearchParams): GroupedBy | null {
  const group = query.get("group");
  if (group === "none" || DEAD_FIELDS.some((name) => query.has(name))) return null;
  return group === "host" ? "host" : "error";
}

/** Null when a filter is set that the list of this kind does not have. */
export function deadQuery(
  query: URLSearchParams,
  kind: keyof (typeof FIELDS)["label"],
  now: number,
): Record<string, string | number | null> | null {
  const found: Record<string, string | number | null> = {};
  for (const [name, parameters] of Object.entries(FIELDS)) {
    const value = query.get(name);
    if (value === null) continue;
    const parameter = parameters[kind];
    if (parameter === null) return null;
    found[parameter] = value;
  }
  const fromAt = sinceAt(query.get("time"), now);
  // To the minute, so that the same filter stays the same question.
  if (fromAt !== null) found["fromDate"] = Math.floor(fromAt / 60_000) * 60_000;
  return found;
}
