import assert from "node:assert/strict";
import { test } from "node:test";

import { systemClock } from "../../platform/clock.ts";
import { MemoryBudget } from "../../platform/memory-budget.ts";
import { encodeFrame, FRAME_BYTES_MAX, FrameReader } from "./channel-frames.ts";

const FRAMES = [
  encodeFrame(7, '["X-Größe","1"]', Buffer.from([0, 255, 13, 10])),
  encodeFrame(0, "", new Uint8Array(0)),
  encodeFrame(0x7fff_ffff, "[200]", Buffer.alloc(300, "é")),
];
const TOLD = [
  [7, '["X-Größe","1"]', "00ff0d0a"],
  [0, "", ""],
  [0x7fff_ffff, "[200]", Buffer.alloc(300, "é").toString("hex")],
];

test("frames are reassembled from chunks of any size", () => {
  const bytes = Buffer.concat(FRAMES);
  for (let pieceBytes = 1; pieceBytes <= bytes.length; pieceBytes++) {
    const reader = new FrameReader(FRAME_BYTES_MAX);
    const told: unknown[] = [];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const { id, head, body } of reader.add(bytes.subarray(at, at + pieceBytes)) ?? []) {
        told.push([id, head, body.toString("hex")]);
      }
    }
    assert.deepEqual(told, TOLD, `in pieces of ${pieceBytes}`);
  }
});

test("a frame above the limit, or with a head longer than the frame, is refused", () => {
  const large = encodeFrame(1, "[200]", new Uint8Array(100));
  assert.equal(new FrameReader(large.length).add(large)?.length, 1);
  assert.equal(new FrameReader(large.length - 1).add(large.subarray(0, 12)), null);
  const lying = encodeFrame(1, "[200]", new Uint8Array(1));
  lying.writeUInt32BE(7, 8);
  assert.equal(new FrameReader(FRAME_BYTES_MAX).add(lying), null);
});

/** The processor time of reading a frame byte by byte, in microseconds. */
function used(bodyBytes: number): number {
  const frame = encodeFrame(1, "[200]", new Uint8Array(bodyBytes));
  const reader = new FrameReader(FRAME_BYTES_MAX);
  const startedAt = process.cpuUsage();
  for (let at = 0; at < frame.length; at++) reader.add(frame.subarray(at, at + 1));
  const { user, system } = process.cpuUsage(startedAt);
  return user + system;
}

test("reading a frame byte by byte takes linear time", () => {
  used(10_000);
  const short = Math.max(used(20_000), 1_000);
  // Forty times as long: a quadratic reader would take sixteen hundred times as much.
  assert.ok(used(800_000) < 400 * short);
});

test("the bytes of an incomplete frame are charged, and freed when it is complete", () => {
  const budget = new MemoryBudget({
    clock: systemClock,
    bytesMax: 100_000,
    reserveBytes: 0,
    waitingMax: 1,
    waitMsMax: 1_000,
    firstMsMax: 1_000,
    refusal: () => new Error("no room"),
  });
  const frame = encodeFrame(1, "[200]", new Uint8Array(90_000));
  const reader = new FrameReader(FRAME_BYTES_MAX, budget.open(""));
  assert.deepEqual(reader.add(frame.subarray(0, 50_000)), []);
  assert.ok(budget.used >= 49_000);
  assert.equal(reader.add(frame.subarray(50_000))?.length, 1);
  assert.equal(budget.used, 0);
  const large = encodeFrame(2, "[200]", new Uint8Array(200_000));
  assert.equal(reader.add(large.subarray(0, 150_000)), null);
});
