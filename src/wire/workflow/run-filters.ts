import type { RunFilter } from "../../core/model/workflow/run-filter.ts";
import { readGivenFilters } from "../filters/body-filters.ts";
import { filterOf, type ParameterRow, several, single } from "../filters/filter-parameters.ts";
import {
  COUNT,
  DRY_RUN_ROW,
  FLOW_CONTROL_KEY,
  FROM_DATE,
  LABEL,
  TO_DATE,
  WORKFLOW_URL,
} from "../filters/filter-rows.ts";
import { integerIn, isDryRun } from "../filters/filters.ts";
import { prefixErrors, parseBoolean, invalidRequest } from "../headers/header-value.ts";
import { flag } from "../json/schema.ts";

/** Which runs to cancel. */
export interface RunCancelQuery {
  readonly filter: RunFilter;
  /** Null for all that match. */
  readonly count: number | null;
  /** Nothing is changed, only counted. */
  readonly isDryRun: boolean;
}

const COUNT_DEFAULT = 100;
const COUNT_MAX = 1_000;

export const RUN_CANCEL_ROWS: readonly ParameterRow[] = [
  several("workflowRunIds", null, "Only these runs. The other filters are then ignored."),
  WORKFLOW_URL,
  single(
    "workflowUrlExactMatch",
    "With `true`, `workflowUrl` is the whole URL, not its beginning.",
    flag(),
  ),
  FROM_DATE,
  TO_DATE,
  several("callerIp", "callerIps", "Only started from these addresses."),
  FLOW_CONTROL_KEY,
  LABEL,
  COUNT,
  DRY_RUN_ROW,
];

/**
 * The query, and in its place or beside it the body, of a request that cancels many runs. With ids,
 * the other filters are ignored.
 */
export function readRunCancelQuery(query: string, body: Uint8Array): RunCancelQuery {
  const { values, hasBody } = readGivenFilters(query, body, RUN_CANCEL_ROWS, "workflowRunIds");
  const runIds = values.get("workflowRunIds");
  const dry = { isDryRun: isDryRun(values) };
  if (runIds !== undefined) return { filter: { runIds }, count: null, ...dry };
  // Clients that send a body know no count, and mean all.
  const count = integerIn(values, "count") ?? (hasBody ? null : COUNT_DEFAULT);
  if (count !== null && (count < 1 || count > COUNT_MAX)) {
    throw invalidRequest(`count: must be from 1 to ${COUNT_MAX}`);
  }
  const [exact] = values.get("workflowUrlExactMatch") ?? [];
  const isExact = prefixErrors("workflowUrlExactMatch", () => parseBoolean(exact ?? "false"));
  return {
    filter: {
      ...filterOf(values, RUN_CANCEL_ROWS),
      isUrlPrefix: !isExact,
    },
    count,
    ...dry,
  };
}
