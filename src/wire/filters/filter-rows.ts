import { WAIT_REASONS } from "../../core/model/line/waiting.ts";
import { LOG_STATES, type LogState } from "../../core/model/message/log-entry.ts";
import type {
  DeadLetterFilter,
  LiveFilter,
  LogFilter,
} from "../../core/model/message/log-filter.ts";
import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { RunLogFilter } from "../../core/model/workflow/run-filter.ts";
import { FAILURE_STATES } from "../../core/model/workflow/run-log.ts";
import { parseDuration } from "../../core/policy/retry/duration.ts";
import { SPREAD_MS_MAX } from "../../core/policy/retry/spread.ts";
import { invalidRequest, parseBoolean, parseInteger } from "../headers/header-value.ts";
import { choice, flag, integer } from "../json/schema.ts";
import {
  givenIn,
  oneOf,
  type ParameterRow,
  several,
  single,
  type Splitting,
  type Values,
} from "./filter-parameters.ts";

/** The lists. Each has calls that change what is in it, with the same filters. */
export type ListName = "logs" | "liveMessages" | "deadLetters" | "runLog" | "liveRuns" | "deadRuns";

/** A filter, or another parameter of a list. */
export interface FilterRow extends ParameterRow {
  readonly lists: readonly ListName[];
  /** The member of the filter that its values become; absent if it is no filter. */
  readonly filter?: FilterMember;
}

type AnyFilter = LogFilter & LiveFilter & DeadLetterFilter & RunLogFilter & DeadRunFilter;
type FilterMember = keyof AnyFilter;

const OF_MESSAGES = ["logs", "liveMessages", "deadLetters"] as const;
const OF_RUNS = ["runLog", "liveRuns", "deadRuns"] as const;
const OF_ALL = [...OF_MESSAGES, ...OF_RUNS] as const;
const OF_DEAD = ["deadLetters", "deadRuns"] as const;

const ORDERS = ["latestFirst", "earliestFirst"] as const;

export const COUNT = single("count", "How many at most.", integer(), parseInteger);
export const CURSOR = single("cursor", "The `cursor` of the page before.");
export const ORDER = single("order", "Newest or oldest first.", choice(ORDERS), oneOf(ORDERS));
/** A parameter of every bulk call. */
export const DRY_RUN = single(
  "dryRun",
  "With `true` nothing is changed: the answer is how many would be.",
  flag(),
  parseBoolean,
);
/** A parameter of those bulk calls that send something again. */
export const OVER = single(
  "over",
  "Spreads what is started evenly over this time, such as `10m`; at most `1d`.",
  undefined,
  parseSpread,
);

/** A value other than empty selects the list of runs; see `asksForRuns`. */
export const SOURCE: ParameterRow = {
  ...single("source", "With `workflow`: those of failed runs.", choice(["workflow"])),
  splits: "ignored",
};

/** Two spellings of canceled are in use, and one word for all states in progress. */
const STATES: ReadonlyMap<string, readonly LogState[]> = new Map<string, readonly LogState[]>([
  ...LOG_STATES.map((state) => [state, [state]] as const),
  ["CANCELLED", ["CANCELED"]],
  ["IN_PROGRESS", ["ACTIVE", "RETRY", "ERROR"]],
]);
const REPORT_STATES = new Map(
  Object.entries(FAILURE_STATES).flatMap(([state, shown]) =>
    shown === undefined ? [] : [[shown, state] as const],
  ),
);

const FILTERS: readonly FilterRow[] = [
  filter("messageId", "messageIds", ["logs", "deadLetters"], "Only of these messages."),
  alias("messageIds", "messageId", ["logs", "deadLetters"]),
  ids("messageIds", "messageIds", "liveMessages", "messages"),
  ids("dlqIds", "deadLetterIds", "deadLetters", "dead letters"),
  ids("dlqIds", "deadLetterIds", "deadRuns", "failed runs"),
  ids("workflowRunIds", "runIds", "liveRuns", "runs"),
  filter("workflowUrl", "workflowUrls", OF_RUNS, "Only of workflows at these URLs.", {
    splits: "urls",
  }),
  alias("url", "workflowUrl", ["deadRuns"], "urls"),
  filter("workflowRunId", "runIds", ["runLog", "deadRuns"], "Only of these runs."),
  integers(
    "workflowCreatedAt",
    "createdAts",
    ["runLog", "deadRuns"],
    "Only of runs that started at these instants.",
  ),
  filter("url", "urls", OF_MESSAGES, "Only to these destinations.", { splits: "urls" }),
  filter("urlPrefix", "urlPrefixes", OF_MESSAGES, "Only to URLs that begin with one of these.", {
    splits: "urls",
  }),
  filter("topicName", "urlGroups", OF_MESSAGES, "Only published to these URL groups."),
  filter("scheduleId", "scheduleIds", OF_MESSAGES, "Only published by these schedules."),
  filter("queueName", "queueNames", OF_MESSAGES, "Only through these queues."),
  filter("host", "hosts", ["logs", "liveMessages", ...OF_DEAD], "Only to these hosts."),
  filter("path", "paths", ["logs", "liveMessages"], "Only to these paths.", { splits: "bare" }),
  alias("path", "path", ["deadLetters"], "refused"),
  filter("callerIp", "callerIps", OF_MESSAGES, "Only published from these addresses."),
  filter("callerIp", "callerIps", OF_RUNS, "Only started from these addresses."),
  alias("callerIP", "callerIp", OF_ALL),
  filter("label", "labels", OF_ALL, "Only with one of these labels."),
  filter("flowControlKey", "flowControlKeys", OF_ALL, "Only under these flow-control keys.", {
    splits: "bare",
  }),
  wholeText(
    "search",
    "search",
    ["logs", ...OF_DEAD],
    "Only with this text in the URL, a label or the error, in any case.",
  ),
  wholeText(
    "search",
    "search",
    ["liveMessages", "runLog", "liveRuns"],
    "Only with this text in the URL or a label, in any case.",
  ),
  filter("waitingFor", "waitingFor", ["liveMessages"], "Only those that wait for these reasons.", {
    value: choice(WAIT_REASONS),
    read: (texts) => texts.map(oneOf(WAIT_REASONS)),
  }),
  filter("state", "states", ["logs"], "Only in these states.", {
    value: choice([...STATES.keys()]),
    read: (texts) => texts.flatMap((given) => wordIn(STATES, given)),
  }),
  filter(
    "failureFunctionState",
    "reportStates",
    ["deadRuns"],
    "Only with these states of the failure callback.",
    { read: (texts) => texts.map((given) => wordIn(REPORT_STATES, given)) },
  ),
  alias("failureCallbackState", "failureFunctionState", ["deadRuns"]),
  integers(
    "responseStatus",
    "statuses",
    OF_DEAD,
    "Only with these statuses of the last answer; 0 for no answer.",
  ),
  integers("responseStatus", "statuses", ["logs"], "Only with these statuses of the answer."),
  filter("error", "errors", OF_DEAD, "Only with this last error.", { splits: "single" }),
  wholeText("errorText", "errorText", ["logs", ...OF_DEAD], "Only with this text in the error."),
  filter("cause", "causes", OF_DEAD, "Only with this cause, as `/v2/dlq/groups` names it.", {
    splits: "single",
  }),
  date("fromDate", "fromAt", "Not before. Unix milliseconds."),
  date("toDate", "toAt", "Not after. Unix milliseconds."),
  { ...COUNT, lists: OF_ALL },
  { ...ORDER, lists: ["logs", ...OF_DEAD] },
  { ...CURSOR, lists: ["logs", "runLog", ...OF_DEAD] },
  { ...SOURCE, lists: ["deadLetters"] },
  alias("source", "source", ["deadRuns"], "ignored"),
];

export function rowsOf(list: ListName): readonly FilterRow[] {
  return FILTERS.filter(({ lists }) => lists.includes(list));
}

/** The filter that the values ask for, by the rows of its list. */
export function filterOf(values: Values, rows: readonly Partial<FilterRow>[]): AnyFilter {
  const filters = rows.filter((row) => row.filter !== undefined) as FilterRow[];
  const given = givenIn(values, filters);
  return Object.fromEntries(
    filters.flatMap((row) => (row.name in given ? [[row.filter, given[row.name]]] : [])),
  );
}

/** A word that is written in any case. */
export function wordIn<Value>(words: ReadonlyMap<string, Value>, given: string): Value {
  const value = words.get(given.toUpperCase());
  if (value !== undefined) return value;
  throw invalidRequest(`is not one of ${[...words.keys()].join(", ")}`);
}

function filter(
  name: string,
  member: FilterMember,
  lists: readonly ListName[],
  says: string,
  more: Partial<ParameterRow> = {},
): FilterRow {
  return { ...several(name, says), filter: member, lists, ...more };
}

/** A text that is searched for as it is, with its commas. */
function wholeText(
  name: string,
  member: FilterMember,
  lists: readonly ListName[],
  says: string,
): FilterRow {
  return { ...single(name, says), filter: member, lists };
}

/** Ids in place of other filters. */
function ids(name: string, member: FilterMember, list: ListName, what: string): FilterRow {
  return filter(name, member, [list], `Only these ${what}. The other filters are then ignored.`);
}

/** Another spelling, which is not documented. */
function alias(
  name: string,
  field: string,
  lists: readonly ListName[],
  splits: Splitting = "everywhere",
): FilterRow {
  return { name, field, splits, lists, read: (values) => values };
}

function integers(
  name: string,
  member: FilterMember,
  lists: readonly ListName[],
  says: string,
): FilterRow {
  return filter(name, member, lists, says, {
    value: integer(),
    read: (texts) => texts.map(parseInteger),
  });
}

function date(name: string, member: FilterMember, says: string): FilterRow {
  return { ...single(name, says, integer(), parseInteger), filter: member, lists: OF_ALL };
}

function parseSpread(given: string): number {
  const spreadMs = parseDuration(given);
  if (spreadMs > SPREAD_MS_MAX) throw invalidRequest("is longer than 1d");
  return spreadMs;
}
