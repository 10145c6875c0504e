import assert from "node:assert/strict";
import { test } from "node:test";

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

test("frames are whole again however they were cut", () => {
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

test("what is larger than it may be, or longer in its head than in all, is no frame", () => {
  const large = encodeFrame(1, "[200]", new Uint8Array(100));
  assert.equal(new FrameReader(large.length).add(large)?.length, 1);
  assert.equal(new FrameReader(large.length - 1).add(large.subarray(0, 12)), null);
  const lying = encodeFrame(1, "[200]", new Uint8Array(1));
  lying.writeUInt32BE(7, 8);
  assert.equal(new FrameReader(FRAME_BYTES_MAX).add(lying), null);
});
