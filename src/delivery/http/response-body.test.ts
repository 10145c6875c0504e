import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { ResponseBody } from "./response-body.ts";

test("the beginning is kept, for chunks of any size", () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.nat(200), (chunks, bytesMax) => {
      const body = new ResponseBody(bytesMax);
      const everythingFits = chunks.map((chunk) => body.add(chunk)).every(Boolean);
      const whole = chunks.flatMap((chunk) => [...chunk]);
      assert.deepEqual([...body.take()], whole.slice(0, bytesMax));
      assert.equal(everythingFits, whole.length <= bytesMax);
    }),
  );
});

test("the bytes are a copy", () => {
  const slab = new Uint8Array(65_536);
  const body = new ResponseBody(10);
  body.add(slab.subarray(100, 105));
  assert.equal(body.take().buffer.byteLength, 5);
});
