import assert from "node:assert/strict";
import { test } from "node:test";
import { type LimitOverrides, PLANS } from "../../model/account/account.ts";
import { Problem } from "../../problem.ts";
import { LIMITS } from "./limit-table.ts";
import {
  LIMIT_FIELDS,
  limitsFor,
  NO_LIMIT,
  OWNER_OVERRIDES,
  readLimit,
  requireWithin,
  shownLimit,
} from "./limits.ts";

test("every limit of the account record has a value in every plan", () => {
  const names = LIMIT_FIELDS.map((field) => LIMITS[field].name);
  assert.equal(new Set(names).size, names.length);
  for (const name of RECORD_FIELDS) assert.ok(names.includes(name), name);
  for (const plan of PLANS) {
    for (const field of LIMIT_FIELDS) {
      const shown = shownLimit(field, limitsFor(plan)[field]);
      assert.ok(Number.isInteger(shown) && shown >= 0, `${plan} ${field}`);
    }
  }
});

test("a plan allows at least what the one before it does", () => {
  for (const field of LIMIT_FIELDS) {
    const values = LIMITS[field].values.map((value) => value ?? Infinity);
    assert.deepEqual(
      values,
      values.toSorted((one, other) => one - other),
      field,
    );
  }
});

test("an override wins over the plan, whichever it is", () => {
  const overrides: LimitOverrides = { urlGroupsMax: 7, requestsPerDayHard: null };
  const limits = limitsFor("free", overrides);
  assert.equal(limits.urlGroupsMax, 7);
  assert.equal(limits.requestsPerDayHard, null);
  assert.equal(limits.queuesMax, 10);
  assert.equal(limitsFor("svc_fixed_1m", overrides).urlGroupsMax, 7);
});

test("the owner's accounts have no limits on parallelism, on days or on seconds", () => {
  assert.deepEqual(limitsFor("paid", OWNER_OVERRIDES), {
    ...limitsFor("paid"),
    requestsPerDaySoft: null,
    requestsPerDayHard: null,
    requestsPerSecondMax: null,
    parallelismMax: null,
    queueParallelismMax: null,
  });
});

test("limits are shown in the units of the account record, and read back from them", () => {
  assert.equal(shownLimit("delayMsMax", 604_800_000), 604_800);
  assert.equal(shownLimit("timeoutMsMax", 900_000), 900);
  assert.equal(shownLimit("logRetentionMs", 3 * 86_400_000), 3);
  assert.equal(shownLimit("deadLetterRetentionMs", 259_200_000), 259_200_000);
  assert.equal(shownLimit("parallelismMax", null), NO_LIMIT);
  assert.equal(readLimit("delayMsMax", 60), 60_000);
  assert.equal(readLimit("logRetentionMs", 2), 2 * 86_400_000);
  assert.equal(readLimit("parallelismMax", NO_LIMIT), null);
  assert.equal(readLimit("parallelismMax", null), null);
  for (const plan of PLANS) {
    for (const field of LIMIT_FIELDS) {
      const value = limitsFor(plan)[field];
      assert.equal(readLimit(field, shownLimit(field, value)), value, `${plan} ${field}`);
    }
  }
});

test("a limit that cannot be is refused by its name", () => {
  for (const wrong of [-1, 1.5, NaN, "5", true, undefined, null, NO_LIMIT + 1, {}]) {
    assert.throws(() => readLimit("urlGroupsMax", wrong), /^Problem: max_topics: must be a whole/);
  }
  assert.throws(() => readLimit("messageBytesMax", NO_LIMIT), /from 0 to 52428800$/);
  assert.throws(() => readLimit("parallelismMax", 0), /, or 2147483647 for no limit$/);
});

test("what is over a limit is refused with its quota and the limit", () => {
  requireWithin("maxTopics", 3, 3);
  requireWithin("maxTopics", Infinity, null);
  assert.throws(
    () => requireWithin("maxTopics", 4, 3),
    (error: unknown) => {
      assert.ok(error instanceof Problem);
      assert.equal(error.status, 412);
      assert.equal(error.message, "quota maxTopics exceeded, current limit: 3");
      return true;
    },
  );
});

const RECORD_FIELDS = [
  "max_message_size",
  "max_requests_per_day",
  "max_requests_per_day_hard",
  "max_endpoints_per_topic",
  "max_requests_per_second",
  "max_dlq_size",
  "max_completion_tokens_per_day",
  "max_completion_tokens_per_minute",
  "max_completions_per_day",
  "max_completions_per_minute",
  "max_retries",
  "max_topics",
  "max_schedules",
  "max_events_size",
  "max_dlq_retention_time_milis",
  "max_delay",
  "max_parallelism",
  "max_global_parallelism",
  "max_queues",
  "timeout",
  "rate_limit",
  "retention",
];
