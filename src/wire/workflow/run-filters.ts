import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import { readGivenFilters } from "../filters/body-filters.ts";
import { type ParameterRow, single } from "../filters/filter-parameters.ts";
import { COUNT, FROM_DATE, integer, TO_DATE } from "../filters/filters.ts";
import { naming, parseBoolean, refusal } from "../headers/header-value.ts";
import { flag } from "../json/schema.ts";

/** Which runs to cancel. */
export interface RunCancelQuery {
  readonly filter: RunFilter;
  /** Null for all that match. */
  readonly count: number | null;
}

const COUNT_DEFAULT = 100;
const COUNT_MAX = 1_000;

export const RUN_CANCEL_ROWS: readonly ParameterRow[] = [
  {
    name: "workflowRunIds",
    field: "workflowRunIds",
    splits: "everywhere",
    says: "Only these runs. The other filters are then ignored.",
  },
  {
    name: "workflowUrl",
    field: "workflowUrl",
    splits: "urls",
    says: "Only of workflows at these URLs.",
  },
  single(
    "workflowUrlExactMatch",
    "With `true`, `workflowUrl` is the whole URL, not its beginning.",
    flag(),
  ),
  FROM_DATE,
  TO_DATE,
  {
    name: "callerIp",
    field: "callerIp",
    splits: "everywhere",
    says: "Only started from these addresses.",
  },
  {
    name: "flowControlKey",
    field: "flowControlKey",
    splits: "bare",
    says: "Only under these flow-control keys.",
  },
  { name: "label", field: "label", splits: "everywhere", says: "Only with one of these labels." },
  COUNT,
];

/**
 * The query, and in its place or beside it the body, of a request that cancels many runs. With ids,
 * the other filters are ignored.
 */
export function readRunCancelQuery(query: string, body: Uint8Array): RunCancelQuery {
  const { values, hasBody } = readGivenFilters(query, body, RUN_CANCEL_ROWS, "workflowRunIds");
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
