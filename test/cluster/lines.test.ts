/** A small sample of what `npm run prove` does with queues, keys and killed nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { killUnderLimits, requireWithinLimits } from "../prove/lines.ts";
import { faultsOf } from "../prove/line-judge.ts";
import type { Visit } from "../prove/line-sink.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const skip = postgresMissing();

test("two nodes keep the limits of queues and keys while one is killed", { skip }, async () => {
  const database = await freshDatabase();
  try {
    requireWithinLimits(await killUnderLimits(database.url, { nodes: 2, kills: 1 }));
  } finally {
    await database.drop();
  }
});

test("the judge sees what breaks an order, a parallelism or a rate", () => {
  const queue = { kind: "queue", name: "x", parallelism: 1, everyMs: 1 } as const;
  assert.deepEqual(faultsOf(queue, [visit(1, 0, 5), visit(1, 6, 9), visit(2, 9, 10)]), []);
  assert.equal(faultsOf(queue, [visit(1, 0, 5), visit(2, 5, 6), visit(1, 7, 9)]).length, 1);
  assert.equal(faultsOf(queue, [visit(2, 0, 5), visit(1, 6, 9)]).length, 1);
  const wide = { ...queue, parallelism: 2 };
  assert.equal(faultsOf(wide, [visit(1, 0, 9), visit(2, 1, 8), visit(3, 2, 7)]).length, 1);
  const key = { kind: "key", name: "x", parallelism: 1, everyMs: 1 } as const;
  assert.deepEqual(faultsOf(key, [visit(1, 0, 5), visit(2, 5, 6)]), []);
  assert.equal(faultsOf(key, [visit(1, 0, 5), visit(2, 4, 6)]).length, 1);
  const rated = { kind: "key", name: "x", rate: 1, everyMs: 1 } as const;
  assert.deepEqual(faultsOf(rated, [visit(1, 0, 1), visit(2, 1000, 1001)]), []);
  const three = [visit(1, 0, 1), visit(2, 10, 11), visit(3, 20, 21)];
  assert.notDeepEqual(faultsOf(rated, three), []);
});

function visit(number: number, startedAt: number, endedAt: number): Visit {
  return { line: "x", number, kind: "message", startedAt, endedAt, good: true };
}
