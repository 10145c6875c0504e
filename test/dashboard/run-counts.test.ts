/** What the tabs of the runs count. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardModule } from "../support/dashboard-modules.ts";

interface TabCount {
  readonly count: number;
  readonly isAbout?: boolean;
}
const { tabCounts } = await dashboardModule<{
  tabCounts: (counts: object) => Readonly<Record<string, TabCount>>;
}>("workflow/run-counts.ts");

test("each tab has the count of its list, and all is the sum of what runs and what ended", () => {
  const tabs = tabCounts({
    states: { RUN_STARTED: 7, RUN_SUCCESS: 40, RUN_FAILED: 2, RUN_CANCELED: 1, STEP_RETRY: 3 },
    waitingFor: { sleep: 2, event: 1 },
    isAbout: false,
    isOpenAbout: true,
  });
  const counts = Object.entries(tabs).map(([tab, { count, isAbout }]) => [tab, count, isAbout]);
  assert.deepEqual(counts, [
    ["", 50, false],
    ["RUN_STARTED", 7, false],
    ["RUN_SUCCESS", 40, false],
    ["RUN_FAILED", 2, false],
    ["RUN_CANCELED", 1, false],
    ["STEP_RETRY", 3, true],
    ["sleeping", 2, true],
    ["waiting-for-event", 1, true],
  ]);
});
