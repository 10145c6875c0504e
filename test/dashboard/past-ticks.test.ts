/** How the last ticks of a schedule went, in words, and where each leads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeOf, tickHref, ticksText } from "../../dashboard/src/schedule/past-ticks.ts";

test("a tick went as the worst of its messages did", () => {
  const outcomes = [
    outcomeOf({ time: 1, states: { a: "SUCCESS", b: "IN_PROGRESS", c: "FAIL" } }),
    outcomeOf({ time: 1, states: { a: "SUCCESS", b: "IN_PROGRESS" } }),
    outcomeOf({ time: 1, states: { a: "SUCCESS", b: "SUCCESS" } }),
    outcomeOf({ time: 1, error: "no such group" }),
    outcomeOf({ time: 1, skippedCount: 3 }),
    outcomeOf({ time: 1, states: {} }),
  ];
  assert.deepEqual(outcomes, ["failed", "under way", "delivered", "failed", "skipped", "gone"]);
});

test("the strip is told in words", () => {
  const sent = { time: 1, states: { a: "SUCCESS" } } as const;
  assert.equal(ticksText([sent]), "Last 1 tick: 1 delivered");
  const ticks = [sent, { time: 2, skippedCount: 1 }, { time: 3, error: "no" }, sent];
  assert.equal(ticksText(ticks), "Last 4 ticks: 2 delivered, 1 failed, 1 skipped");
});

test("a tick leads to its message, to all of them, or nowhere", () => {
  const a = "SUCCESS";
  assert.equal(tickHref({ time: 1, states: { m1: a } }, "s"), "/messages/m1");
  assert.equal(tickHref({ time: 1, states: { m1: a, m2: a } }, "s"), "/messages?ids=m1,m2");
  const many = { time: 1, states: { m1: a }, messageCount: 30 } as const;
  assert.equal(tickHref(many, "a b"), "/messages?schedule=a%20b");
  assert.equal(tickHref({ time: 1, skippedCount: 2 }, "s"), null);
});
