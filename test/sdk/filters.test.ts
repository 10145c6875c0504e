/** Every documented filter of a list or bulk call is a filter of the SDK, and the other way around. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DEAD_RUN_FILTER } from "../../sdk/src/client/dead-runs.ts";
import { DEAD_LETTER_FILTER, LOG_FILTER, MESSAGE_FILTER } from "../../sdk/src/client/filters.ts";
import { RUN_FILTER, RUN_LOG_FILTER } from "../../sdk/src/client/workflows.ts";
import type { ParameterRow } from "../../src/wire/filters/filter-parameters.ts";
import {
  CANCEL_ROWS,
  DEAD_LETTER_ROWS,
  DEAD_RUN_ROWS,
  LIVE_LIST_ROWS,
  LOG_ROWS,
  RERUN_ROWS,
  RETRY_ROWS,
  RUN_CANCEL_ROWS,
  SEND_NOW_ROWS,
} from "../../src/wire/filters/filters.ts";
import { RUN_LOG_ROWS } from "../../src/wire/workflow/run-log-query.ts";

/** Ids, pages and what a call does; they are arguments of their own. */
const NO_FILTERS = new Set([
  "messageIds",
  "dlqIds",
  "workflowRunIds",
  "workflowRuns",
  "count",
  "cursor",
  "order",
  "over",
  "dryRun",
  "source",
  "groupBy",
]);

const TABLES: readonly (readonly [string, object, readonly ParameterRow[]])[] = [
  ["messages", MESSAGE_FILTER, LIVE_LIST_ROWS],
  ["messages.cancel", MESSAGE_FILTER, CANCEL_ROWS],
  ["messages.retry", MESSAGE_FILTER, SEND_NOW_ROWS],
  ["logs", LOG_FILTER, LOG_ROWS],
  ["dlq", DEAD_LETTER_FILTER, DEAD_LETTER_ROWS],
  ["dlq.retry", DEAD_LETTER_FILTER, RETRY_ROWS],
  ["workflow.dlq", DEAD_RUN_FILTER, DEAD_RUN_ROWS],
  ["workflow.dlq.resume", DEAD_RUN_FILTER, RERUN_ROWS],
  ["workflow.cancel", RUN_FILTER, RUN_CANCEL_ROWS],
  ["workflow.logs", RUN_LOG_FILTER, RUN_LOG_ROWS],
];

for (const [name, table, rows] of TABLES) {
  test(`the filters of ${name} are those of the service`, () => {
    const documented = rows.filter(({ says }) => says !== undefined).map((row) => row.name);
    assert.deepEqual(filtersIn(Object.keys(table)), filtersIn(documented));
  });
}

function filtersIn(names: readonly string[]): string[] {
  return names.filter((name) => !NO_FILTERS.has(name)).toSorted();
}
