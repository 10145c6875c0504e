/** The parser of answers against llhttp, over made-up answers in random pieces. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readWithLlhttp } from "./llhttp.ts";
import { drawFrom, madeUpAnswer, type MadeUp } from "./made-up.ts";
import { readWithOurs } from "./ours.ts";
import type { Reading } from "./reading.ts";

const COUNT = Number(process.env["ANSWERS"] ?? 20_000);
const SEED = Number(process.env["POSTRIDER_SEED"] ?? 20261117);

test(`${COUNT} answers are read as llhttp reads them, or refused, seed ${SEED}`, () => {
  const draw = drawFrom(SEED);
  const seen = { complete: 0, more: 0, error: 0, stricter: 0 };
  for (let round = 0; round < COUNT; round++) {
    const answer = madeUpAnswer(draw);
    const [ours, theirs] = [readWithOurs, readWithLlhttp].map((read) =>
      read(answer.pieces, answer.method, answer.closes),
    ) as [Reading, Reading];
    if (MISREAD_BY_LLHTTP.test(answer.text)) continue;
    const difference = differenceOf(ours, theirs);
    assert.equal(difference, null, shown(answer, ours, theirs, round));
    seen[ours.end] += 1;
    if (ours.end === "error" && theirs.end !== "error") seen.stricter += 1;
  }
  // Each kind is drawn often enough to mean something.
  for (const end of ["complete", "more", "error"] as const) {
    assert.ok(seen[end] > COUNT / 100, JSON.stringify(seen));
  }
  assert.ok(seen.stricter < COUNT / 10, JSON.stringify(seen));
});

/** A tab after the last coding is a blank to RFC 9110 and part of its name to llhttp. */
const MISREAD_BY_LLHTTP = /chunked *\t/i;

/** What differs and must not; null when nothing does. */
function differenceOf(ours: Reading, theirs: Reading): string | null {
  // A refusal is always safe: the attempt fails and is retried.
  if (ours.end === "error") return null;
  if (ours.end === "more") return theirs.end === "complete" ? "not complete" : null;
  if (theirs.end !== "complete") return "complete";
  if (ours.status !== theirs.status) return "status";
  if (ours.body !== theirs.body) return "body";
  // To close a connection that could be kept is safe, too.
  if (ours.keepsAlive === true && theirs.keepsAlive === false) return "keepsAlive";
  return ours.headers.join("\n") === theirs.headers.join("\n") ? null : "headers";
}

function shown(answer: MadeUp, ours: Reading, theirs: Reading, round: number): string {
  return JSON.stringify({ round, ...answer, pieces: answer.pieces.length, ours, theirs }, null, 1);
}
