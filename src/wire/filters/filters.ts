import { LOG_STATES, type LogState } from "../../core/model/message/log-entry.ts";
import type { DeadLetterFilter, LogFilter } from "../../core/model/message/log-filter.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { SPREAD_MS_MAX } from "../../core/policy/retry/spread.ts";
import {
  filterOf,
  type ParameterRow,
  readParameters,
  several,
  type Values,
} from "./filter-parameters.ts";
import {
  callerIpRows,
  CAUSE,
  COUNT,
  CURSOR_ROW,
  dlqIds,
  DRY_RUN_ROW,
  ERROR,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  HOST,
  LABEL,
  ORDER,
  OVER_ROW,
  PATH,
  RESPONSE_STATUS,
  TO_DATE,
} from "./filter-rows.ts";
import {
  prefixErrors,
  parseBoolean,
  parseInteger,
  invalidRequest,
} from "../headers/header-value.ts";
import { isJsonObject, readJson } from "../json/json.ts";
import { choice } from "../json/schema.ts";
import { readQuery } from "./query.ts";

/** A requested list: its filter, size and start. */
export interface ListQuery<Filter> {
  readonly filter: Filter;
  readonly count: number;
  readonly order: "latestFirst" | "earliestFirst";
  /** Still sealed. */
  readonly cursor: string | null;
}

/** A change of many dead letters or failed runs. */
export interface BulkQuery<Filter> {
  readonly filter: Filter;
  /** Null for all that match. */
  readonly count: number | null;
  readonly cursor: string | null;
  /** Over how long the new messages or runs are spread; 0 when they start at once. */
  readonly overMs: number;
  /** Nothing is changed, only counted. */
  readonly isDryRun: boolean;
}

const LOG_COUNT_MAX = 1_000;
const DEAD_LETTER_COUNT_MAX = 100;
const BULK_COUNT_MAX = 1_000;
const IDS_MAX = 1_000;
const BODY_BYTES_MAX = 262_144;

const SOURCE: ParameterRow = {
  name: "source",
  field: "source",
  splits: "ignored",
  says: "With `workflow`: those of failed runs.",
  value: choice(["workflow"]),
};

export const MESSAGE_ROWS: readonly ParameterRow[] = [
  several("messageId", "messageIds", "Only of these messages."),
  { name: "messageIds", field: "messageId", splits: "everywhere" },
  several("url", "urls", "Only to these destinations.", { splits: "urls" }),
  several("topicName", "urlGroups", "Only published to these URL groups."),
  several("scheduleId", "scheduleIds", "Only published by these schedules."),
  several("queueName", "queueNames", "Only through these queues."),
  ...callerIpRows("Only published from these addresses."),
  LABEL,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  TO_DATE,
  COUNT,
  ORDER,
  CURSOR_ROW,
];

export const LOG_ROWS: readonly ParameterRow[] = [
  ...MESSAGE_ROWS,
  several("state", "states", "Only in these states.", {
    value: choice([...LOG_STATES, "CANCELLED", "IN_PROGRESS"]),
    read: (texts) => texts.flatMap(readState),
  }),
  HOST,
  PATH,
  { name: "trimBody", field: "trimBody", splits: "ignored" },
  { name: "api", field: "api", splits: "ignored" },
  { name: "groupBy", field: "groupBy", splits: "ignored" },
];

export const DEAD_LETTER_ROWS: readonly ParameterRow[] = [
  ...MESSAGE_ROWS,
  dlqIds("dead letters"),
  RESPONSE_STATUS,
  ERROR,
  CAUSE,
  { name: "host", field: "host", splits: "refused" },
  { name: "path", field: "path", splits: "refused" },
  // A value other than empty selects the list of runs.
  SOURCE,
];

/** The filters, and what else a request to delete them, or to send them again, takes. */
export const DELETE_ROWS: readonly ParameterRow[] = [...DEAD_LETTER_ROWS, DRY_RUN_ROW];
export const RETRY_ROWS: readonly ParameterRow[] = [...DELETE_ROWS, OVER_ROW];

export const GROUP_ROWS: readonly ParameterRow[] = [SOURCE];

/** Whether the groups of dead letters are wanted of workflow runs. There are no filters. */
export function readGroupQuery(query: string): boolean {
  readParameters(query, GROUP_ROWS, "strict");
  return asksForRuns(query);
}

/** Whether the request is for the dead letters of workflow runs, which are listed separately. */
export function asksForRuns(query: string): boolean {
  const given = readQuery(query).filter(({ name, rawValue }) => name === "source" && rawValue);
  if (given.some(({ rawValue }) => rawValue !== "workflow")) {
    throw invalidRequest("source: must be workflow");
  }
  return given.length > 0;
}

/** The query of `GET /v2/logs` and `GET /v2/events`. */
export function readLogQuery(query: string): ListQuery<LogFilter> {
  const values = readParameters(query, LOG_ROWS, "lenient");
  return { filter: filterOf(values, LOG_ROWS), ...page(values, LOG_COUNT_MAX) };
}

/** The query of `GET /v2/dlq`. */
export function readDeadLetterQuery(query: string): ListQuery<DeadLetterFilter> {
  const values = readParameters(query, DEAD_LETTER_ROWS, "lenient");
  return { filter: filterOf(values, DEAD_LETTER_ROWS), ...page(values, DEAD_LETTER_COUNT_MAX) };
}

/** The query and body of a request for many dead letters. */
export function readDeadLetterBulk(
  query: string,
  body: Uint8Array,
  rows = DELETE_ROWS,
): BulkQuery<DeadLetterFilter> {
  const values = readParameters(query, rows, "strict");
  const filter = filterOf(values, DEAD_LETTER_ROWS);
  return readBulk(values, body, () => filter);
}

/**
 * With ids, in query or body, the other filters are ignored. The parameters are read strictly, since
 * ignoring an unknown one would affect more than intended.
 */
export function readBulk<Filter>(
  values: Values,
  body: Uint8Array,
  readFilter: () => Filter,
): BulkQuery<Filter | { readonly deadLetterIds: readonly string[] }> {
  const deadLetterIds = readBodyIds(body) ?? values.get("dlqIds");
  const { count, cursor } = page(values, BULK_COUNT_MAX);
  return {
    filter: deadLetterIds === undefined ? readFilter() : { deadLetterIds },
    count: values.has("count") ? count : null,
    cursor,
    overMs: overMsOf(values),
    isDryRun: isDryRun(values),
  };
}

/** Whether only a count is wanted. */
export function isDryRun(values: Values): boolean {
  return prefixErrors("dryRun", () => parseBoolean(values.get("dryRun")?.[0] ?? "false"));
}

export function overMsOf(values: Values): number {
  const text = values.get("over")?.[0];
  if (text === undefined) return 0;
  const overMs = prefixErrors("over", () => parseDuration(text));
  if (overMs > SPREAD_MS_MAX) throw invalidRequest("over: is longer than 1d");
  return overMs;
}

export function page(values: Values, countMax: number): Omit<ListQuery<unknown>, "filter"> {
  const count = integerIn(values, "count") ?? countMax;
  if (count < 1 || count > countMax) throw invalidRequest(`count: must be from 1 to ${countMax}`);
  const order = values.get("order")?.[0] ?? "latestFirst";
  if (order !== "latestFirst" && order !== "earliestFirst") {
    throw invalidRequest("order: is neither latestFirst nor earliestFirst");
  }
  return { count, order, cursor: values.get("cursor")?.[0] ?? null };
}

export function integerIn(values: Values, name: string): number | undefined {
  const text = values.get(name)?.[0];
  return text === undefined ? undefined : prefixErrors(name, () => parseInteger(text));
}

/** Two spellings of canceled are in use, and one word for all states in progress. */
const STATES: ReadonlyMap<string, readonly LogState[]> = new Map<string, readonly LogState[]>([
  ...LOG_STATES.map((state) => [state, [state]] as const),
  ["CANCELLED", ["CANCELED"]],
  ["IN_PROGRESS", ["ACTIVE", "RETRY", "ERROR"]],
]);

function readState(text: string): readonly LogState[] {
  const states = STATES.get(text.toUpperCase());
  if (states === undefined)
    throw invalidRequest(`state: is not one of ${[...STATES.keys()].join(", ")}`);
  return states;
}

function readBodyIds(body: Uint8Array): readonly string[] | undefined {
  if (body.byteLength === 0) return undefined;
  const value = readJson(body, BODY_BYTES_MAX);
  if (!isJsonObject(value) || Object.keys(value).some((name) => name !== "dlqIds")) {
    throw invalidRequest("body: must be an object with the one member dlqIds");
  }
  const ids = Object.hasOwn(value, "dlqIds") ? value["dlqIds"] : undefined;
  if (ids === undefined) return undefined;
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === "string")) {
    throw invalidRequest("dlqIds: must be an array of strings");
  }
  if (ids.length > IDS_MAX) throw invalidRequest(`dlqIds: has more than ${IDS_MAX} values`);
  return ids;
}
