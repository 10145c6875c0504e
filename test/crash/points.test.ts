import assert from "node:assert/strict";
import { test } from "node:test";

import { walk } from "./points.ts";

/** Runs of as many points as given, one after the other and then from the front again. */
class Runs {
  met = 0;
  readonly diedAt: number[] = [];
  readonly #lengths: readonly number[];
  #played = 0;

  constructor(...lengths: readonly number[]) {
    this.#lengths = lengths;
  }

  play(at: number): number {
    const length = this.#lengths[this.#played++ % this.#lengths.length]!;
    this.met = Math.min(at, length);
    if (at > length) return 0;
    this.diedAt.push(at);
    return 1;
  }
}

const points = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

test("a walk comes to the last point that a run has, though most are shorter", async () => {
  const runs = new Runs(4, 4, 4, 4, 9);
  const walked = await walk([runs], async (service, at) => service.play(at));
  assert.deepEqual(runs.diedAt, points(9));
  assert.deepEqual(walked, { points: 9, unmet: 0 });
});

test("services share the points of a walk", async () => {
  const services = [new Runs(6), new Runs(6)];
  const walked = await walk(services, async (service, at) => service.play(at));
  const diedAt = services
    .flatMap((service) => service.diedAt)
    .toSorted((one, other) => one - other);
  assert.deepEqual(diedAt, points(6));
  assert.deepEqual(walked, { points: 6, unmet: 0 });
});

test("a walk says how many points it has not met again", async () => {
  const runs = new Runs(8, ...Array.from({ length: 1_000 }, () => 5));
  const walked = await walk([runs], async (service, at) => service.play(at));
  assert.deepEqual(walked, { points: 5, unmet: 3 });
});
