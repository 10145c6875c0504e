/** The time line of the attempts of a message. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { type Attempt, piecesOf } from "../../dashboard/src/parts/attempt-pieces.ts";

/** Wide enough for a label, in per cent of the line. */
const LABEL_WIDTH = 11;

test("labels of attempts that follow each other closely do not overlap", () => {
  for (const count of [2, 4, 5, 9]) {
    const attempts = Array.from({ length: count }, (_, index) => attemptAt(index, 50));
    const labels = piecesOf(attempts, 60_000, 3, 20_000).flatMap((piece) =>
      piece.kind === "next" || (piece.kind === "attempt" && piece.isLabeled) ? [piece.x] : [],
    );
    const between = labels.slice(1).map((x, index) => x - labels[index]!);
    assert.ok(labels.length >= 2, `${count} attempts`);
    assert.ok(Math.min(...between) >= LABEL_WIDTH, `${count} attempts: ${between.join(", ")}`);
  }
});

test("attempts with room between them are all labeled", () => {
  const attempts = [0, 1, 2].map((index) => attemptAt(index, 600_000));
  const labeled = piecesOf(attempts, null, 0, 3_600_000).filter(
    (piece) => piece.kind === "attempt" && piece.isLabeled,
  );
  assert.equal(labeled.length, 3);
});

function attemptAt(index: number, everyMs: number): Attempt {
  return {
    number: index + 1,
    outcome: "failed",
    word: "503",
    startedAt: index * everyMs,
    tookMs: 9,
  };
}
