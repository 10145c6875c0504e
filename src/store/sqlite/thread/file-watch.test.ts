import assert from "node:assert/strict";
import { renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { freshFolder } from "../../../../test/support/fresh-folder.ts";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { FileWatch } from "./file-watch.ts";

function watching(t: TestContext) {
  const path = join(freshFolder(t), "postrider.db");
  writeFileSync(path, "");
  const clock = new ManualClock();
  const logged: string[] = [];
  const note =
    (level: string) =>
    (event: string): void =>
      void logged.push(`${level}: ${event}`);
  const log = { info: note("info"), warn: note("warn"), error: note("error") };
  const watch = new FileWatch(path, clock, log);
  const lookAfter = (ms: number): boolean => {
    clock.advance(ms);
    watch.look();
    return watch.isGone;
  };
  return { path, logged, lookAfter, watch };
}

const GONE = "error: the database file is gone, nothing new is accepted";
const BACK = "warn: the database file is back";

test("a file that is gone is noticed at once, told once, and told again when it is back", (t) => {
  const { path, logged, lookAfter, watch } = watching(t);
  assert.deepEqual([watch.isGone, lookAfter(1)], [false, false]);
  for (let time = 1; time <= 2; time++) {
    renameSync(path, `${path}-away`);
    assert.equal(lookAfter(1), true);
    assert.equal(lookAfter(2_999), true);
    assert.deepEqual(logged, []);
    for (let looked = 0; looked < 3; looked++) assert.equal(lookAfter(1_000), true);
    assert.deepEqual(logged, [GONE]);
    renameSync(`${path}-away`, path);
    assert.deepEqual([lookAfter(1), lookAfter(1)], [false, false]);
    assert.deepEqual(logged.splice(0), [GONE, BACK]);
  }
});

test("a file that is gone for a moment now and then is nothing to tell", (t) => {
  const { path, logged, lookAfter } = watching(t);
  for (let time = 0; time < 4; time++) {
    renameSync(path, `${path}-away`);
    assert.deepEqual([lookAfter(1_000), lookAfter(1_000)], [true, true]);
    renameSync(`${path}-away`, path);
    assert.equal(lookAfter(1_000), false);
  }
  assert.deepEqual(logged, []);
});

test("another file of the name is not the one that is open", (t) => {
  const { path, lookAfter } = watching(t);
  renameSync(path, `${path}-away`);
  writeFileSync(path, "");
  assert.equal(lookAfter(1), true);
});

test("a file that cannot be checked, or was never there, is not gone", (t) => {
  const { path, lookAfter } = watching(t);
  rmSync(path);
  symlinkSync(path, path);
  assert.equal(lookAfter(5_000), false);
  const inMemory = new FileWatch(":memory:", new ManualClock(), undefined);
  inMemory.look();
  assert.equal(inMemory.isGone, false);
});
