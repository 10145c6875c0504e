import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import { readGivenFilters } from "../filters/body-filters.ts";
import type { ParameterRow } from "../filters/filter-parameters.ts";
import { integer } from "../filters/filters.ts";
import { naming, parseBoolean, refusal } from "../headers/header-value.ts";

/** Which runs to cancel. */
export interface RunCancelQuery {
  readonly filter: RunFilter;
  /** Null for all that match. */
  readonly count: number | null;
}

const COUNT_DEFAULT = 100;
const COUNT_MAX = 1_000;

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
 * the other filters are ignored.
 */
export function readRunCancelQuery(query: string, body: Uint8Array): RunCancelQuery {
  const { values, hasBody } = readGivenFilters(query, body, ROWS, "workflowRunIds");
  const runIds = values.get("workflowRunIds");
  if (runIds !== undefined) return { filter: { runIds }, count: null };
  // Clients that send a body know no count, and mean all.
  const count = integer(values, "count") ?? (hasBody ? null : COUNT_DEFAULT);
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
