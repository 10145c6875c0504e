import assert from "node:assert/strict";
import { test } from "node:test";
import { aMessage, anAttempt, START_AT } from "../../../test/support/messages.ts";
import { countsBy, DURATION_BOUNDS_MS } from "../../core/model/account/stats.ts";
import { logEntryJson } from "../message/message.ts";
import { shownHostJson } from "./overview.ts";

const STATS = {
  host: "a.test",
  ...countsBy(() => 1),
  durations: DURATION_BOUNDS_MS.map(() => 0).concat(1),
};
const NEWEST = { attempts: 10, failed: 10, deliveredAt: START_AT };

test("a host is shown with its hours, its last error and its newest attempts", () => {
  const message = aMessage();
  const { accountId, messageId } = message;
  const lastError = {
    entry: { accountId, messageId, at: START_AT, state: "ERROR" },
    message,
    body: new Uint8Array(0),
    attempt: anAttempt(),
  } as const;
  const hours = [{ ...STATS, startAt: START_AT }];
  const shown = shownHostJson({ ...STATS, hours, lastError, newest: NEWEST });
  assert.equal(shown.stats.host, "a.test");
  assert.deepEqual(
    shown.hours.map(({ at }) => at),
    [START_AT],
  );
  assert.deepEqual(shown.lastError, logEntryJson(lastError));
  assert.deepEqual(shown.newest, NEWEST);
});

test("a host without errors has neither", () => {
  const shown = shownHostJson({ ...STATS, hours: [], lastError: null, newest: null });
  assert.deepEqual([shown.lastError, shown.newest], [undefined, undefined]);
});
