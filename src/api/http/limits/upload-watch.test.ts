import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { UploadWatch } from "./upload-watch.ts";

function watched() {
  const clock = new ManualClock();
  const watch = new UploadWatch(clock);
  const upload = {
    receivedBytes: 0,
    lastProgressAt: clock.monotonic(),
    isEnded: false,
    isHeldBack: () => upload.isPaused,
    isPaused: false,
    giveUp: () => {
      upload.isEnded = true;
    },
  };
  watch.add(upload);
  watch.start();
  return { clock, watch, upload };
}

test("an upload that stands still is ended", () => {
  const { clock, upload } = watched();
  clock.advance(30_000);
  assert.ok(!upload.isEnded);
  clock.advance(5_000);
  assert.ok(upload.isEnded);
});

test("a slow one may take many minutes, a drip may not", () => {
  for (const [bytesPerSecond, isEnded] of [
    [20_000, false],
    [10, true],
  ] as const) {
    const { clock, upload } = watched();
    for (let second = 0; second < 500; second++) {
      clock.advance(1_000);
      upload.receivedBytes += bytesPerSecond;
      upload.lastProgressAt = clock.monotonic();
    }
    assert.equal(upload.isEnded, isEnded, `${bytesPerSecond} bytes a second`);
  }
});

test("what has ended, or is no longer watched, is left alone", () => {
  const { clock, watch, upload } = watched();
  watch.remove(upload);
  clock.advance(100_000);
  assert.ok(!upload.isEnded);
  watch.add(upload);
  watch.stop();
  clock.advance(100_000);
  assert.ok(!upload.isEnded);
});

test("a fast beginning does not excuse a drip", () => {
  const { clock, upload } = watched();
  upload.receivedBytes = 50_000_000;
  for (let second = 0; second < 125; second++) {
    clock.advance(1_000);
    upload.receivedBytes += 10;
    upload.lastProgressAt = clock.monotonic();
  }
  assert.ok(upload.isEnded);
});

test("an upload is not blamed for the time in which it is held back", () => {
  const { clock, upload } = watched();
  upload.isPaused = true;
  clock.advance(300_000);
  upload.isPaused = false;
  clock.advance(30_000);
  assert.ok(!upload.isEnded);
  clock.advance(10_000);
  assert.ok(upload.isEnded);
});

test("a byte less than 8 kB a second is too little", () => {
  for (const [bytes, isEnded] of [
    [60 * 8 * 1024, false],
    [60 * 8 * 1024 - 1, true],
  ] as const) {
    const { clock, upload } = watched();
    upload.receivedBytes = bytes;
    for (let second = 0; second < 60; second++) {
      upload.lastProgressAt = clock.monotonic();
      clock.advance(1_000);
    }
    assert.equal(upload.isEnded, isEnded, `${bytes} bytes in a minute`);
  }
});

test("8 kB a second are expected in each minute, and not less", () => {
  for (const [bytesPerSecond, isEnded] of [
    [8 * 1024, false],
    [7 * 1024, true],
  ] as const) {
    const { clock, upload } = watched();
    for (let second = 0; second < 120; second++) {
      upload.receivedBytes += bytesPerSecond;
      upload.lastProgressAt = clock.monotonic();
      clock.advance(1_000);
    }
    assert.equal(upload.isEnded, isEnded, `${bytesPerSecond} bytes a second`);
  }
});
