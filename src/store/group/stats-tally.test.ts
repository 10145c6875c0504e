import assert from "node:assert/strict";
import { test } from "node:test";

import { START_AT } from "../../../test/support/messages.ts";
import type { LogStep } from "../records/log-step.ts";
import { StatsTally } from "./stats-tally.ts";
import type { WorkingSet } from "./working-set.ts";

/** The row of a minute counts what was created in it. */
function publishedIn(tally: StatsTally): number | undefined {
  return tally.take(10).find(({ step }) => step === "minute")?.published;
}

function addCreated(tally: StatsTally, count: number): void {
  const entry = { accountId: "account", messageId: "message", at: START_AT, state: "CREATED" };
  const step = { entry, next: null, attempt: null, host: null } as unknown as LogStep;
  tally.add({ steps: Array.from({ length: count }, () => step) } as unknown as WorkingSet);
}

test("rows that could not be written are taken with the next ones, once", () => {
  const tally = new StatsTally();
  addCreated(tally, 2);
  const rows = tally.take(10);
  tally.putBack(rows);
  addCreated(tally, 3);
  assert.equal(publishedIn(tally), 5);
  assert.equal(publishedIn(tally), undefined);
  assert.equal(tally.totals.published, 5);
});
