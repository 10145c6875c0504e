import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { Problem } from "../../core/problem.ts";
import { readCursor, readDatedCursor, writeCursor, writeDatedCursor } from "./cursor.ts";

test("a cursor gives back the position it was made from", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (position) => {
      fc.pre(position !== "");
      return readCursor(["secret"], "logs", writeCursor("secret", "logs", position)) === position;
    }),
    { numRuns: 500 },
  );
});

test("a cursor is a number longer than a time", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (position) => {
      const cursor = writeCursor("secret", "logs", position);
      return /^[1-9][0-9]{13,}$/.test(cursor) && (cursor as unknown as number) > 0;
    }),
    { numRuns: 500 },
  );
});

test("a cursor of another secret, another list or another hand is refused", () => {
  const cursor = writeCursor("secret", "logs", "1700000000000-3");
  const other = writeCursor("secret", "logs", "1700000000000-4");
  const half = Math.floor(cursor.length / 2);
  const joined = cursor.slice(0, half) + other.slice(half);
  const next = (BigInt(cursor) + 1n).toString();
  const rounded = Number(cursor);
  const changed = [joined, next, `${cursor}x`, `${cursor}0`, cursor.slice(0, -1), `0${cursor}`];
  const numbers = [String(rounded), BigInt(rounded).toString(), `0x${cursor}`, `-${cursor}`];
  const others = [
    "",
    ".",
    "0",
    "1",
    "1700000000000",
    "a.b.c",
    "1".repeat(39),
    `1${"0".repeat(38)}`,
  ];
  for (const text of [...changed, ...numbers, ...others]) {
    assert.throws(() => readCursor(["secret"], "logs", text), /cursor: /, text);
  }
  assert.throws(() => readCursor(["other"], "logs", cursor), Problem);
  assert.throws(() => readCursor(["secret"], "dead-letters", cursor), Problem);
  assert.throws(() => readCursor(["secret"], "logs", "1".repeat(100_000)), Problem);
});

const read = (cursor: string) => readDatedCursor(["secret"], "logs", cursor);

test("a list by time starts at a millisecond, which its cursors keep", () => {
  assert.deepEqual(read("0"), { position: null, toAt: undefined });
  assert.deepEqual(read("1700000000000"), { position: null, toAt: 1_700_000_000_000 });
  for (const toAt of [undefined, 1_700_000_000_000]) {
    const cursor = { position: "1700000000000-3", toAt };
    assert.deepEqual(read(writeDatedCursor("secret", "logs", cursor)), cursor);
  }
  for (const text of ["00", "1", "170000000000", "17000000000000", "-1700000000000"]) {
    assert.throws(() => read(text), Problem);
  }
});

test("any text is refused, whatever it looks like", () => {
  const part = fc.base64String({ maxLength: 40 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(part, part).map((parts) => parts.join(".")),
        fc.bigInt({ min: 0n }).map(String),
      ),
      (text) => {
        assert.throws(() => readCursor(["secret"], "logs", text), Problem);
      },
    ),
    { numRuns: 2_000 },
  );
});
