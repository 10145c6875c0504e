import type {
  DeadLetterFilter,
  LiveFilter,
  LogFilter,
} from "../../core/model/message/log-filter.ts";
import type { DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import { invalidRequest, parseBoolean } from "../headers/header-value.ts";
import { bodyReader } from "../json/schema-reader.ts";
import { flag, inlineObject, list, type Schema, text } from "../json/schema.ts";
import { DLQ_IDS } from "../message/message-schemas.ts";
import {
  givenIn,
  type ParameterRow,
  readParameters,
  readValues,
  single,
  type Strictness,
  type Values,
  readQuery,
  requireStorable,
  VALUES_MAX,
} from "./filter-parameters.ts";
import { COUNT, CURSOR, DRY_RUN, filterOf, ORDER, OVER, rowsOf, SOURCE } from "./filter-rows.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";

export interface ListQuery<Filter> {
  readonly filter: Filter;
  readonly count: number;
  readonly order: "latestFirst" | "earliestFirst";
  /** Still sealed. */
  readonly cursor: string | null;
}

export interface BulkQuery<Filter> {
  readonly filter: Filter;
  /** Null for all that match. */
  readonly count: number | null;
  /** Still sealed. */
  readonly cursor: string | null;
  /** Over how long the new messages or runs are spread; 0 when they start at once. */
  readonly overMs: number;
  /** Nothing is changed, only counted. */
  readonly isDryRun: boolean;
}

export type CancelQuery<Filter> = Omit<BulkQuery<Filter>, "cursor" | "overMs">;

export const LOG_ROWS = rowsOf("logs");
export const DEAD_LETTER_ROWS = rowsOf("deadLetters");
export const DEAD_RUN_ROWS = rowsOf("deadRuns");
const LIVE_ROWS = rowsOf("liveMessages");
export const LIVE_LIST_ROWS = [...LIVE_ROWS, CURSOR];
export const GROUP_ROWS = [SOURCE];

/** The filters, and what else a request to delete them, or to send them again, takes. */
export const DELETE_ROWS = [...DEAD_LETTER_ROWS, DRY_RUN];
export const RETRY_ROWS = [...DELETE_ROWS, OVER];
export const DELETE_RUN_ROWS = [...DEAD_RUN_ROWS, DRY_RUN];
export const RERUN_ROWS = [...DELETE_RUN_ROWS, OVER];
export const CANCEL_ROWS = [...LIVE_ROWS, DRY_RUN];
export const SEND_NOW_ROWS = [...LIVE_ROWS, CURSOR, OVER, DRY_RUN];

const EXACT_URL = single(
  "workflowUrlExactMatch",
  "With `true`, `workflowUrl` is the whole URL, not its beginning.",
  flag(),
  parseBoolean,
);
export const RUN_CANCEL_ROWS = [...rowsOf("liveRuns"), EXACT_URL, DRY_RUN];

const BULK_COUNT_MAX = 1_000;
export const FILTER_BODY_BYTES_MAX = 262_144;
const RUNS_CANCELED_DEFAULT = 100;
/** `@upstash/qstash` sends it when its caller gave no count, and promises that all are canceled. */
const COUNT_OF_ALL = 100;

/** The query of `GET /v2/logs` and `GET /v2/events`. */
export const readLogQuery = listReader<LogFilter>(LOG_ROWS, 1_000);
/** The query of `GET /v2/dlq`. */
export const readDeadLetterQuery = listReader<DeadLetterFilter>(DEAD_LETTER_ROWS, 100);
/** The query of `GET /v2/workflows/dlq`. */
export const readDeadRunQuery = listReader<DeadRunFilter>(DEAD_RUN_ROWS, 100);
/**
 * The query of `GET /v2/messages`: the filters of a cancellation, so that a caller can list first
 * what would be canceled. An unknown parameter is refused, as it is there.
 */
export const readLiveQuery = listReader<LiveFilter>(LIVE_LIST_ROWS, 100, "strict");

export const readDeadLetterBulk = bulkReader<DeadLetterFilter>(DELETE_ROWS);
export const readDeadRunBulk = bulkReader<DeadRunFilter>(DELETE_RUN_ROWS);
const readIdBody = bodyReader(DLQ_IDS, FILTER_BODY_BYTES_MAX);

/** Whether the groups of dead letters are wanted of workflow runs. There are no filters. */
export function readGroupQuery(query: string): boolean {
  readParameters(query, GROUP_ROWS);
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

/**
 * Which messages a bulk cancellation means; all of them when the filter is open. With ids, the
 * other filters and the count are ignored. A client without ids means every message, and sends an
 * empty list.
 */
export function readCancelQuery(query: string, body: Uint8Array): BulkQuery<LiveFilter> {
  const { filter, ...asked } = readLiveBulk(query, body, CANCEL_ROWS);
  const { messageIds, ...others } = filter;
  const count = asked.count === COUNT_OF_ALL ? null : asked.count;
  return { ...asked, count, filter: messageIds?.length === 0 ? others : filter };
}

/** The same for messages that are to be sent now; no client of others sends an empty list here. */
export function readSendNowQuery(query: string, body: Uint8Array): BulkQuery<LiveFilter> {
  return readLiveBulk(query, body, SEND_NOW_ROWS);
}

/**
 * The query, and in its place or beside it the body, of a request that cancels many runs. With ids,
 * the other filters are ignored.
 */
export function readRunCancelQuery(query: string, body: Uint8Array): CancelQuery<RunFilter> {
  const { values, hasBody } = readGivenFilters(query, body, RUN_CANCEL_ROWS, "workflowRunIds");
  const { runIds, ...filter } = filterOf(values, RUN_CANCEL_ROWS);
  const { dryRun: isDryRun = false } = givenIn(values, [DRY_RUN]);
  if (runIds !== undefined) return { filter: { runIds }, count: null, isDryRun };
  const { workflowUrlExactMatch: isExact = false } = givenIn(values, [EXACT_URL]);
  // Clients that send a body know no count, and mean all.
  const count = countIn(values, BULK_COUNT_MAX) ?? (hasBody ? null : RUNS_CANCELED_DEFAULT);
  return { filter: { ...filter, isUrlPrefix: !isExact }, count, isDryRun };
}

export function pageIn(
  values: Values,
  countMax: number,
  countDefault = countMax,
): Omit<ListQuery<unknown>, "filter"> {
  const { order = "latestFirst", cursor = null } = givenIn(values, [ORDER, CURSOR]);
  return { count: countIn(values, countMax) ?? countDefault, order, cursor };
}

function listReader<Filter>(
  rows: readonly ParameterRow[],
  countMax: number,
  strictness: Strictness = "lenient",
): (query: string) => ListQuery<Filter> {
  return (query) => {
    const values = readValues(query, rows, strictness);
    return { filter: filterOf(values, rows) as Filter, ...pageIn(values, countMax) };
  };
}

/**
 * The query and body of a request for many dead letters. With ids, in query or body, the other
 * filters are ignored. The parameters are read strictly, since ignoring an unknown one would affect
 * more than intended.
 */
function bulkReader<Filter extends { readonly deadLetterIds?: readonly string[] | undefined }>(
  ofDelete: readonly ParameterRow[],
): (query: string, body: Uint8Array, rows?: readonly ParameterRow[]) => BulkQuery<Filter> {
  return (query, body, rows = ofDelete) => {
    const values = readValues(query, rows, "strict");
    const { deadLetterIds: named, ...others } = filterOf(values, rows);
    const deadLetterIds = readIds(body) ?? named;
    const filter = (deadLetterIds === undefined ? others : { deadLetterIds }) as Filter;
    return { filter, ...bulkIn(values, BULK_COUNT_MAX) };
  };
}

function readIds(body: Uint8Array): readonly string[] | undefined {
  if (body.byteLength === 0) return undefined;
  const { dlqIds, ...others } = readIdBody(body);
  if (Object.keys(others).length === 0) return dlqIds;
  throw invalidRequest("body: must be an object with the one member dlqIds");
}

function readLiveBulk(
  query: string,
  body: Uint8Array,
  rows: readonly ParameterRow[],
): BulkQuery<LiveFilter> {
  const { values } = readGivenFilters(query, body, rows, "messageIds");
  const { messageIds, ...filter } = filterOf(values, rows);
  const asked = bulkIn(values, Infinity);
  if (messageIds === undefined) return { filter, ...asked };
  if (messageIds.length === 0) return { filter: { ...filter, messageIds }, ...asked };
  return { filter: { messageIds }, ...asked, count: null };
}

function bulkIn(values: Values, countMax: number): Omit<BulkQuery<unknown>, "filter"> {
  const { cursor = null, over = 0, dryRun = false } = givenIn(values, [CURSOR, OVER, DRY_RUN]);
  return { count: countIn(values, countMax), cursor, overMs: over, isDryRun: dryRun };
}

function countIn(values: Values, countMax: number): number | null {
  const { count = null } = givenIn(values, [COUNT]);
  if (count === null || (count >= 1 && count <= countMax)) return count;
  const bounds = countMax === Infinity ? "must be at least 1" : `must be from 1 to ${countMax}`;
  throw invalidRequest(`count: ${bounds}`);
}

/**
 * The filters of a bulk request, in its query, its body or both. An unknown name is refused, since
 * ignoring it would affect more than intended. Only the list of `ids` may be empty.
 */
export function readGivenFilters(
  query: string,
  body: Uint8Array,
  rows: readonly ParameterRow[],
  ids: string,
): { readonly values: Values; readonly hasBody: boolean } {
  const values = new Map(readValues(query, rows, "strict"));
  const hasBody = body.byteLength > 0;
  if (!hasBody) return { values, hasBody };
  for (const [field, given] of readBody(body, rows, ids)) {
    if (values.has(field)) throw invalidRequest(`${field}: is given in the query and in the body`);
    values.set(field, given);
  }
  return { values, hasBody };
}

/** The form of such a body. */
export function filterBody(rows: readonly ParameterRow[]): Schema {
  const documented = rows.flatMap(({ name, splits, says, value = text() }) => {
    if (says === undefined) return [];
    const schema = splits === "single" ? { ...value, description: says } : list(value, says);
    return [[name, schema] as const];
  });
  return inlineObject({}, Object.fromEntries(documented));
}

/** The names of the query as members of an object, each with one value or an array of them. */
function readBody(body: Uint8Array, rows: readonly ParameterRow[], ids: string): Values {
  const filters = readJson(body, FILTER_BODY_BYTES_MAX);
  if (!isJsonObject(filters)) throw invalidRequest("body: must be an object of filters");
  requireMembers(
    filters,
    rows.map(({ name }) => name),
  );
  const values = new Map<string, readonly string[]>();
  for (const row of rows) {
    if (!Object.hasOwn(filters, row.name)) continue;
    const given = readMember(row, filters[row.name]);
    if (given.length === 0 && row.name !== ids) throw invalidRequest(`${row.name}: is empty`);
    if (values.has(row.field)) throw invalidRequest(`${row.name}: is given twice`);
    values.set(row.field, given);
  }
  return values;
}

function readMember(row: ParameterRow, value: unknown): readonly string[] {
  const { name, splits } = row;
  if (splits === "single") {
    if (!["string", "number", "boolean"].includes(typeof value) || value === "") {
      throw invalidRequest(`${name}: must be one value`);
    }
    return [String(value)];
  }
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > VALUES_MAX)
    throw invalidRequest(`${name}: has more than ${VALUES_MAX} values`);
  return given.map((one) => {
    if (typeof one !== "string" || one === "") {
      throw invalidRequest(`${name}: must be a text or an array of texts`);
    }
    requireStorable(row, one);
    return one;
  });
}
