import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { proofPage, readProofRows, withRow, type ProofRow } from "../prove/proof-page.ts";

const PAGE = readFileSync(new URL("../../docs/internals/proof.md", import.meta.url), "utf8");
const EXPLANATION = readFileSync(
  new URL("../../docs/explanation/proofs.md", import.meta.url),
  "utf8",
);
const row = (name: string, result: string): ProofRow => ({
  name,
  result,
  date: "2026-11-16",
  machine: "2 cores",
});

test("the page holds rows alone, as they were written", () => {
  const rows = readProofRows(PAGE);
  assert.ok(rows.length > 10);
  const names = rows.map(({ name }) => name);
  assert.equal(proofPage(names, rows), PAGE);
});

test("every proof of the page is explained", () => {
  const missing = readProofRows(PAGE).filter(({ name }) => !EXPLANATION.includes(`\`${name}\``));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

test("a proof that ran replaces its own row and no other", () => {
  const before = proofPage(["one", "two"], [row("one", "old"), row("two", "kept")]);
  const after = proofPage(["one", "two"], withRow(readProofRows(before), row("one", "new")));
  assert.deepEqual(readProofRows(after), [row("one", "new"), row("two", "kept")]);
});

test("a proof that never ran is shown as such, and one that is gone is left out", () => {
  const page = proofPage(["one"], [row("gone", "text")]);
  assert.deepEqual(
    readProofRows(page).map(({ name, result }) => [name, result]),
    [["one", "not run yet"]],
  );
});

test("a failure with lines and bars stays in its cell", () => {
  const page = proofPage(["one"], [row("one", "FAILED: a | b\n  at c")]);
  assert.equal(readProofRows(page)[0]?.result, "FAILED: a | b at c");
});
