import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { GrowingBuffer } from "./growing-buffer.ts";

test("the bytes come back as they came, whatever the pieces, in memory of their own", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 10 });
  fc.assert(
    fc.property(pieces, (chunks) => {
      const whole = Buffer.concat(chunks);
      const buffer = new GrowingBuffer(whole.length);
      for (const chunk of chunks) buffer.add(chunk);
      assert.equal(buffer.size, whole.length);
      const bytes = buffer.take();
      assert.ok(whole.equals(bytes));
      assert.equal(bytes.buffer.byteLength, whole.length);
      assert.equal(buffer.size, 0);
    }),
  );
});

test("a small piece is copied, since its memory is used again", () => {
  const buffer = new GrowingBuffer(10);
  const piece = Buffer.from("abc");
  buffer.add(piece);
  piece.fill("x");
  assert.equal(Buffer.from(buffer.take()).toString(), "abc");
});

test("it says beforehand how much it grows, doubles, and stays within its bound", () => {
  const buffer = new GrowingBuffer(100_000);
  const growths: number[] = [];
  for (let added = 0; added < 100_000; added++) {
    const growth = buffer.growthFor(1);
    if (growth > 0) growths.push(growth);
    buffer.add(new Uint8Array(1));
  }
  assert.deepEqual(growths, [1, 4_095, 4_096, 8_192, 16_384, 32_768, 34_464]);
});

test("the beginning is kept, for chunks of any size", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.nat(200), (chunks, bytesMax) => {
      const body = new GrowingBuffer(bytesMax);
      const everythingFits = chunks.map((chunk) => body.add(chunk)).every(Boolean);
      const whole = chunks.flatMap((chunk) => [...chunk]);
      assert.deepEqual([...body.take()], whole.slice(0, bytesMax));
      assert.equal(everythingFits, whole.length <= bytesMax);
    }),
  );
});

test("the bytes are a copy", () => {
  const slab = new Uint8Array(65_536);
  const body = new GrowingBuffer(10);
  body.add(slab.subarray(100, 105));
  assert.equal(body.take().buffer.byteLength, 5);
});

test("what is announced is set aside at once when a quarter of it is here", () => {
  const buffer = new GrowingBuffer(1_000_000);
  buffer.announce(160_000);
  const growths: number[] = [];
  for (let added = 0; added < 170_000; added += 1_000) {
    const growth = buffer.growthFor(1_000);
    if (growth > 0) growths.push(growth);
    buffer.add(new Uint8Array(1_000));
  }
  assert.deepEqual(growths, [1_000, 3_096, 4_096, 8_192, 16_384, 32_768, 94_464, 160_000]);
});

test("more is not set aside than may be kept, and less is not cut off, whatever is announced", () => {
  const announced = fc.nat(20_000);
  const pieces = fc.array(fc.uint8Array({ maxLength: 9_000 }), { maxLength: 5 });
  fc.assert(
    fc.property(announced, fc.nat(20_000), pieces, (bytes, bytesMax, chunks) => {
      const buffer = new GrowingBuffer(bytesMax);
      buffer.announce(bytes);
      let capacity = 0;
      for (const chunk of chunks) {
        capacity += buffer.growthFor(chunk.length);
        buffer.add(chunk);
        assert.ok(capacity <= bytesMax && capacity >= buffer.size);
      }
      assert.deepEqual(buffer.take(), new Uint8Array(Buffer.concat(chunks).subarray(0, bytesMax)));
    }),
  );
});
