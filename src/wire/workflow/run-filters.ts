import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import {
  type ParameterRow,
  readParameters,
  requireStorable,
} from "../filters/filter-parameters.ts";
import { integer } from "../filters/filters.ts";
import { naming, parseBoolean, refusal } from "../headers/header-value.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";

/** Which runs to cancel. */
export interface RunCancelQuery {
  readonly filter: RunFilter;
  /** Null for all that match. */
  readonly count: number | null;
}

export const RUN_CANCEL_BODY_BYTES_MAX = 262_144;
const COUNT_DEFAULT = 100;
const COUNT_MAX = 1_000;
const VALUES_MAX = 1_000;

const ROWS: readonly ParameterRow[] = [
  { name: "workflowRunIds", field: "workflowRunIds", splits: "everywhere" },
  { name: "workflowUrl", field: "workflowUrl", splits: "urls" },
  { name: "workflowUrlExactMatch", field: "workflowUrlExactMatch", splits: "single" },
  { name: "fromDate", field: "fromDate", splits: "single" },
  { name: "toDate", field: "toDate", splits: "single" },
  { name: "callerIp", field: "callerIp", splits: "everywhere" },
  { name: "flowControlKey", field: "flowControlKey", splits: "bare" },
  { name: "label", field: "label", splits: "everywhere" },
  { name: "count", field: "count", splits: "single" },
];

/**
 * The query, and in its place or beside it the body, of a request that cancels many runs. With ids,
 * the other filters are ignored; an unknown parameter is refused, since ignoring it would affect
 * more than intended.
 */
export function readRunCancelQuery(query: string, body: Uint8Array): RunCancelQuery {
  const values = new Map(readParameters(query, ROWS, "strict"));
  const inBody = readBody(body);
  for (const [field, given] of inBody ?? []) {
    if (values.has(field)) throw refusal(`${field}: is given in the query and in the body`);
    values.set(field, given);
  }
  const runIds = values.get("workflowRunIds");
  if (runIds !== undefined) return { filter: { runIds }, count: null };
  // Clients that send a body know no count, and mean all.
  const count = integer(values, "count") ?? (inBody === null ? COUNT_DEFAULT : null);
  if (count !== null && (count < 1 || count > COUNT_MAX)) {
    throw refusal(`count: must be from 1 to ${COUNT_MAX}`);
  }
  const [exact] = values.get("workflowUrlExactMatch") ?? [];
  const isExact = naming("workflowUrlExactMatch", () => parseBoolean(exact ?? "false"));
  return {
    filter: {
      workflowUrls: values.get("workflowUrl"),
      isUrlPrefix: !isExact,
      callerIps: values.get("callerIp"),
      labels: values.get("label"),
      flowControlKeys: values.get("flowControlKey"),
      fromAt: integer(values, "fromDate"),
      toAt: integer(values, "toDate"),
    },
    count,
  };
}

/** The same names as members of an object; null when there is no body. */
function readBody(body: Uint8Array): Map<string, readonly string[]> | null {
  if (body.byteLength === 0) return null;
  const filters = readJson(body, RUN_CANCEL_BODY_BYTES_MAX);
  if (!isJsonObject(filters)) throw refusal("body: must be an object of filters");
  requireMembers(
    filters,
    ROWS.map(({ name }) => name),
    "body",
  );
  const values = new Map<string, readonly string[]>();
  for (const row of ROWS) {
    const value = filters[row.name];
    if (value === undefined || value === null) continue;
    values.set(row.field, readValues(row, value));
  }
  return values;
}

function readValues(row: ParameterRow, value: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length === 0 && row.name !== "workflowRunIds") throw refusal(`${row.name}: is empty`);
  if (given.length > VALUES_MAX) throw refusal(`${row.name}: has more than ${VALUES_MAX} values`);
  if (given.length > 1 && row.splits === "single") throw refusal(`${row.name}: is given twice`);
  return given.map((one) => {
    const isScalar = ["string", "number", "boolean"].includes(typeof one);
    if (!isScalar || one === "") throw refusal(`${row.name}: is neither a text nor a number`);
    const text = String(one);
    requireStorable(row, text);
    return text;
  });
}
