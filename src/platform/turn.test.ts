import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../test/support/manual-clock.ts";
import { nextTurn, ownTurn, quietTurn } from "./turn.ts";

/** A loop whose turns take the given times, one after another, and then no time at all. */
class BusyLoop extends ManualClock {
  turns = 0;
  readonly #turnsMs: readonly number[];

  constructor(turnsMs: readonly number[]) {
    super();
    this.#turnsMs = turnsMs;
    this.#turn();
  }

  #turn(): void {
    setImmediate(() => {
      this.advance(this.#turnsMs[this.turns] ?? 0);
      this.turns += 1;
      if (this.turns <= this.#turnsMs.length) this.#turn();
    });
  }
}

test("a quiet turn is one that took less than a fifth of a millisecond", async () => {
  for (const [turnsMs, turns] of [
    [[5, 5, 0.25, 0.125, 5], 4],
    [[5, 0, 5], 2],
    [[0, 0.2, 0.125, 5], 3],
  ] as const) {
    const loop = new BusyLoop(turnsMs);
    await quietTurn(loop, () => 0);
    assert.equal(loop.turns, turns);
  }
});

test("a turn in which the count grew is not quiet", async () => {
  const loop = new BusyLoop([0, 0, 0, 0, 0]);
  await quietTurn(loop, () => Math.min(loop.turns, 3));
  assert.equal(loop.turns, 4);
});

test("after a thousand busy turns it waits no longer", async () => {
  const loop = new BusyLoop(Array.from({ length: 2_000 }, () => 1));
  await quietTurn(loop, () => 0);
  assert.equal(loop.turns, 1_001);
  while (loop.turns < 2_000) await nextTurn();
});

test("parts of work that each want a turn of their own have one, in order", async () => {
  const done: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let part = 0; part < 3; part++) {
      await ownTurn();
      done.push(name);
    }
  };
  const all = Promise.all(["a", "b"].map(work));
  for (let turn = 1; turn <= 6; turn++) {
    await nextTurn();
    assert.equal(done.length, turn);
  }
  await all;
  assert.equal(done.join(""), "ababab");
});
