/** The pages that are made from docs/internals/results.json. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { barPlot } from "../results/bars.ts";
import { markdownTable, withPart } from "../results/benchmarks-page.ts";
import { proofPage } from "../results/proof-page.ts";
import { type ProofResult, readResults, type Results, withProof } from "../results/results.ts";
import { testsPassed } from "../results/tests-passed.ts";
import { resultPages } from "../results/write-pages.ts";

const DOCS = new URL("../../docs/", import.meta.url);

test("every page and plot is made from the results", () => {
  for (const [name, text] of resultPages(readResults())) {
    const page = readFileSync(new URL(`internals/${name}`, DOCS), "utf8");
    assert.equal(page, text, `${name}: run \`npm run reference\``);
  }
});

test("every proof is explained", () => {
  const explanation = readFileSync(new URL("explanation/proofs.md", DOCS), "utf8");
  const names = Object.keys(readResults().proofs);
  assert.ok(names.length > 10);
  assert.deepEqual(
    names.filter((name) => !explanation.includes(`\`${name}\``)),
    [],
  );
});

test("a proof that ran replaces its own result, and one that is gone is left out", () => {
  const before: Results = {
    proofs: { one: proof("old"), two: proof("kept"), gone: proof("text") },
    benchmarks: {},
  };
  const { proofs } = withProof(before, ["one", "two", "new"], "one", proof("new"));
  assert.deepEqual(proofs, { one: proof("new"), two: proof("kept"), new: null });
  assert.match(proofPage({ proofs }), /^\| new \| not run yet \|/m);
});

test("a failure with lines and bars stays in its cell", () => {
  const page = proofPage({ proofs: { one: proof("FAILED: a | b\n  at c") } });
  assert.match(page, /^\| one \| FAILED: a \\\| b at c \| 2026-11-16 \| abc \| 2 cores \|$/m);
});

test("the tests of a proof are named, and counted when they are too many", () => {
  const few = "✔ 500 histories (3.1ms)\n✔ 10 runs (2ms)\nℹ tests 2\nℹ suites 0\nℹ pass 2\n";
  assert.equal(testsPassed(few), "500 histories; 10 runs");
  const passed = "  ✔ a screen does what it shows (3.1ms)\n".repeat(100);
  const many = `${passed}ℹ tests 100\nℹ suites 4\nℹ pass 100\n`;
  assert.equal(testsPassed(many), "100 tests in 4 suites passed");
});

test("a part of the benchmarks is replaced, and nothing around it", () => {
  const page = "a\n<!-- bench idle: begin -->\n\nold\n\n<!-- bench idle: end -->\nb\n";
  assert.equal(withPart(page, "idle", "new"), page.replace("old", "new"));
  assert.throws(() => withPart(page, "growth", "new"), /needs one/);
  assert.throws(() => withPart(page + page, "idle", "new"), /needs one/);
});

test("a table is as wide as its cells", () => {
  const rows = [{ cells: ["sqlite", "1"] }, { cells: ["b", "200"] }];
  assert.equal(
    markdownTable(["Store", "n"], rows),
    "| Store  | n   |\n| ------ | --- |\n| sqlite | 1   |\n| b      | 200 |",
  );
});

test("the longest bar is that of the greatest value, and names are escaped", () => {
  const plot = barPlot("a < b", [
    { name: "one", value: 50 },
    { name: "other", value: 100 },
  ]);
  const widths = [...plot.matchAll(/class="bar".* width="([\d.]+)"/g)].map(([, at]) => Number(at));
  assert.equal(widths.length, 2);
  assert.equal(widths[0]! * 2, widths[1]);
  assert.ok(plot.includes("a &lt; b"));
});

function proof(result: string): ProofResult {
  return { result, date: "2026-11-16", commit: "abc", machine: "2 cores" };
}
