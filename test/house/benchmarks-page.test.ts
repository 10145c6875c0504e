/** The parts of docs/internals/benchmarks.md that `npm run bench -- --write` replaces. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { barPlot } from "../bench/page/bars.ts";
import { markdownTable, readPage, withPart } from "../bench/page/page.ts";
import { PART_NAMES } from "../bench/page/parts.ts";

test("the page has each part once", () => {
  for (const part of PART_NAMES) assert.match(withPart(readPage(), part, "here"), /\n\nhere\n\n/);
});

test("a part is replaced, and nothing around it", () => {
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
