import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../test/support/manual-clock.ts";
import { ExpiringCache } from "./expiring-cache.ts";

function remembering(countMax = 10) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const answers = new Map<string, string>([["a", "1"]]);
  const remembered = new ExpiringCache<string>({
    clock,
    keepMs: 1_000,
    countMax,
    load: (key) => {
      asked.push(key);
      return Promise.resolve(answers.get(key) ?? null);
    },
  });
  return { clock, asked, answers, remembered };
}

test("asks once for all who wait, then answers at once for a second", async () => {
  const { clock, asked, answers, remembered } = remembering();
  assert.deepEqual(await Promise.all([remembered.get("a"), remembered.get("a")]), ["1", "1"]);
  clock.advance(999);
  assert.equal(remembered.get("a"), "1");
  assert.deepEqual(asked, ["a"]);
  answers.set("a", "2");
  clock.advance(1);
  assert.equal(await remembered.get("a"), "2");
});

test("what is not there is asked for again", async () => {
  const { asked, answers, remembered } = remembering();
  assert.equal(await remembered.get("b"), null);
  answers.set("b", "3");
  assert.equal(await remembered.get("b"), "3");
  assert.deepEqual(asked, ["b", "b"]);
});

test("an answer that was on its way when it was to be forgotten is not kept", async () => {
  const { answers, remembered } = remembering();
  const old = remembered.get("a");
  remembered.forget("a");
  answers.set("a", "2");
  await old;
  assert.equal(await remembered.get("a"), "2");
});

test("nor does it replace what was asked for after it", async () => {
  const loads: PromiseWithResolvers<string>[] = [];
  const load = (): Promise<string> => {
    loads.push(Promise.withResolvers<string>());
    return loads.at(-1)!.promise;
  };
  const clock = new ManualClock();
  const remembered = new ExpiringCache<string>({ clock, keepMs: 1_000, countMax: 10, load });
  const old = remembered.get("a");
  remembered.forget("a");
  const fresh = remembered.get("a");
  loads[0]!.resolve("old");
  await old;
  assert.equal(remembered.known("a"), null);
  loads[1]!.resolve("new");
  assert.equal(await fresh, "new");
  assert.equal(remembered.known("a"), "new");
});

test("it holds no more than it may", async () => {
  const { asked, answers, remembered } = remembering(2);
  for (const key of ["a", "b", "c"]) {
    answers.set(key, key);
    await remembered.get(key);
  }
  await remembered.get("a");
  assert.deepEqual(asked, ["a", "b", "c", "a"]);
});
