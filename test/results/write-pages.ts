import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

import { barPlot } from "./bars.ts";
import { PART_NAMES, PARTS } from "./benchmark-parts.ts";
import { benchmarksPage, plotOf } from "./benchmarks-page.ts";
import { proofPage } from "./proof-page.ts";
import type { Results } from "./results.ts";

const FOLDER = new URL("../../docs/internals/", import.meta.url);

/** The pages and plots that are made from the results, by their names in docs/internals. */
export function resultPages(results: Results): Map<string, string> {
  const page = readFileSync(new URL("benchmarks.md", FOLDER), "utf8");
  const pages = new Map([
    ["proof.md", proofPage(results)],
    ["benchmarks.md", benchmarksPage(page, results.benchmarks)],
  ]);
  for (const part of PART_NAMES) {
    const rows = results.benchmarks[part]?.rows ?? [];
    const bars = rows.flatMap(({ bar }) => (bar === undefined ? [] : [bar]));
    if (bars.length > 0) pages.set(plotOf(part), barPlot(PARTS[part].title, bars));
  }
  return pages;
}

export function writeResultPages(results: Results): void {
  mkdirSync(new URL("images/", FOLDER), { recursive: true });
  for (const [name, text] of resultPages(results)) writeFileSync(new URL(name, FOLDER), text);
}
