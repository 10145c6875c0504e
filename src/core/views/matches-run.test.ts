import assert from "node:assert/strict";
import { test } from "node:test";

import { aRun } from "../../../test/support/runs.ts";
import type { RunFilter } from "../model/workflow/run-filter.ts";
import { matchesRun } from "./matches-run.ts";

const RUN = aRun({
  createdAt: 100,
  labels: ["red", "blue"],
  flowControl: { key: "slow", periodMs: 1_000 },
});

test("a run matches when every field has one of the values", () => {
  const matching: RunFilter[] = [
    {},
    { runIds: ["other", "run"] },
    { workflowUrls: ["https://example.test/workflow"] },
    { workflowUrls: ["https://example.test/"], isUrlPrefix: true },
    { callerIps: ["192.0.2.1"] },
    { labels: ["green", "blue"] },
    { flowControlKeys: ["slow"] },
    { fromAt: 100, toAt: 100 },
  ];
  for (const filter of matching) assert.ok(matchesRun(filter, RUN), JSON.stringify(filter));
});

test("and does not when one has none", () => {
  const others: RunFilter[] = [
    { runIds: [] },
    { runIds: ["ru"] },
    { workflowUrls: ["https://example.test/"] },
    { workflowUrls: ["https://example.test/other"], isUrlPrefix: true },
    { callerIps: ["192.0.2.2"] },
    { labels: ["green"] },
    { flowControlKeys: ["fast"] },
    { fromAt: 101 },
    { toAt: 99 },
    { labels: ["red"], fromAt: 101 },
  ];
  for (const filter of others) assert.ok(!matchesRun(filter, RUN), JSON.stringify(filter));
});
