import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Problem } from "../core/problem.ts";
import { readCursor, writeCursor } from "./cursor.ts";

test("a cursor gives back the position it was made from", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (position) => {
      fc.pre(position !== "");
      return readCursor("secret", "logs", writeCursor("secret", "logs", position)) === position;
    }),
    { numRuns: 500 },
  );
});

test("a cursor of another secret, another list or another hand is refused", () => {
  const cursor = writeCursor("secret", "logs", "1700000000000-3");
  const forged = `${Buffer.from("1700000000000-4").toString("base64url")}.${cursor.split(".")[1]}`;
  for (const text of [forged, `${cursor}x`, cursor.slice(0, -1), "", ".", "1", "a.b.c"]) {
    assert.throws(() => readCursor("secret", "logs", text), /cursor: /);
  }
  assert.throws(() => readCursor("other", "logs", cursor), Problem);
  assert.throws(() => readCursor("secret", "dead-letters", cursor), Problem);
  assert.throws(() => readCursor("secret", "logs", "A".repeat(100_000)), Problem);
});

test("any text is refused, whatever it looks like", () => {
  const part = fc.base64String({ maxLength: 40 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(part, part).map((parts) => parts.join(".")),
      ),
      (text) => {
        assert.throws(() => readCursor("secret", "logs", text), Problem);
      },
    ),
    { numRuns: 2_000 },
  );
});
