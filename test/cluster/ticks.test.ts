/** A small sample of what `npm run prove` does with schedules and killed nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { killUnderTicks, requireTicked } from "../prove/ticks/kill-ticks.ts";
import { faultsOf, minutesOf, type TicksSeen } from "../prove/ticks/tick-judge.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const skip = postgresMissing();

test("no tick is lost or doubled on two nodes while one is killed", { skip }, async () => {
  const database = await freshDatabase();
  try {
    const options = { nodes: 2, minutely: 10, moved: 60, rounds: 2 };
    requireTicked(await killUnderTicks(database.url, options));
  } finally {
    await database.drop();
  }
});

test("the judge sees ticks that are lost, doubled, too soon or not delivered", () => {
  assert.deepEqual(judge([1_000, 2_400]), []);
  assert.deepEqual(judge([2_000], [{ scheduleId: "s", firstAt: 1_000, lastAt: 1_000 }]), []);
  assert.match(judge([2_000]).join(), /made 0 at .*:01.000Z, and not 1/);
  assert.match(judge([1_000, 1_500, 2_000]).join(), /made 2 at/);
  assert.match(judge([500, 1_000, 2_000]).join(), /before it was due/);
  const skipped = [{ scheduleId: "s", firstAt: 1_000, lastAt: 1_000 }];
  assert.match(judge([1_000, 2_000], skipped).join(), /made 1 at .*, which it skipped/);
  assert.match(judge([1_000, 2_000], [], new Set(["m0"])).join(), /m1 of s was not delivered/);
  const minutely = { scheduleId: "s", perTick: 1, createdAt: 60_000, nextAt: 240_000 };
  assert.deepEqual(minutesOf(minutely), [120_000, 180_000]);
});

/** A schedule that was due after one second and after two. */
function judge(
  madeAt: readonly number[],
  skipped: TicksSeen["skipped"] = [],
  arrived?: ReadonlySet<string>,
): string[] {
  const messages = madeAt.map((createdAt, index) => ({
    messageId: `m${index}`,
    scheduleId: "s",
    createdAt,
  }));
  const delivered = new Set(messages.map(({ messageId }) => messageId));
  const schedules = [{ scheduleId: "s", perTick: 1, createdAt: 0, nextAt: null }];
  const seen = { schedules, skipped, messages, delivered, arrived: arrived ?? delivered };
  return faultsOf(seen, () => [1_000, 2_000]);
}
