import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFrame, FrameReader } from "./channel-frames.ts";

const FRAMES = [
  encodeFrame(7, '["X-Größe","1"]', "a body"),
  encodeFrame(0, "", ""),
  encodeFrame(0x7fff_ffff, "[]", "é".repeat(300)),
];

test("frames are whole again however they were cut", () => {
  const bytes = Buffer.concat(FRAMES);
  for (let pieceBytes = 1; pieceBytes <= bytes.length; pieceBytes++) {
    const reader = new FrameReader();
    const told: unknown[] = [];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const { id, head, body } of reader.add(bytes.subarray(at, at + pieceBytes))) {
        told.push([id, head, Buffer.from(body).toString()]);
      }
    }
    const expected = [
      [7, '["X-Größe","1"]', "a body"],
      [0, "", ""],
      [0x7fff_ffff, "[]", "é".repeat(300)],
    ];
    assert.deepEqual(told, expected, `in pieces of ${pieceBytes}`);
  }
});

test("what is too large, or longer in its head than in all, is no frame", () => {
  const large = encodeFrame(1, "[]", "x".repeat(1024 * 1024));
  assert.throws(() => new FrameReader().add(large.subarray(0, 12)), /no frame/);
  const lying = encodeFrame(1, "[]", "x");
  new DataView(lying.buffer).setUint32(8, 9);
  assert.throws(() => new FrameReader().add(lying), /no frame/);
});

/** The processor time of a frame that comes byte by byte, in microseconds. */
function used(bodyBytes: number): number {
  const frame = encodeFrame(1, "[]", "x".repeat(bodyBytes));
  const reader = new FrameReader();
  const startedAt = process.cpuUsage();
  for (let at = 0; at < frame.length; at++) reader.add(frame.subarray(at, at + 1));
  return process.cpuUsage(startedAt).user;
}

test("a frame in pieces of one byte costs as much again for each byte, however long it is", () => {
  used(10_000);
  const short = Math.max(used(20_000), 1_000);
  // Forty times as long: a quadratic reader would take sixteen hundred times as much.
  assert.ok(used(800_000) < 400 * short);
});
