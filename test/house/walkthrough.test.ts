import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readPages } from "./markdown.ts";
import { edgesOf, readSources, ROOT } from "./sources.ts";

const PAGE = "docs/explanation/walkthrough.md";
const FILES_MAX = 8;

interface Stop {
  readonly number: number;
  readonly file: string;
  /** How the walk gets there, as the page says it. */
  readonly way: string;
}

const edges = new Set(
  edgesOf(readSources("src/**/*.ts")).map(({ from, to }) => `${from} -> ${to}`),
);
const text = readPages(PAGE)[0]?.text ?? "";
const walks = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split("\n")[0]!, stopsOf(section)]),
);

test("there are walks of a message, a dead letter, a step, a tick and a number", () => {
  for (const word of ["message, sent at once", "claimed", "fails", "step", "tick", "number"]) {
    assert.ok(
      [...walks.keys()].some((title) => title.includes(word)),
      word,
    );
  }
});

for (const [title, stops] of walks) {
  test(`${title}: each file exists and is reached as the page says`, () => {
    assert.ok(stops.length > 2 && stops.length <= FILES_MAX, `${stops.length} files`);
    assert.deepEqual(
      stops.map(({ number }) => number),
      stops.map((_, index) => index + 1),
    );
    const faults = stops.flatMap((stop) => faultOf(stop, stops) ?? []);
    assert.deepEqual(faults, []);
  });
}

function stopsOf(section: string): Stop[] {
  const rows = section.split("\n").filter((line) => /^\| \d/.test(line));
  return rows.map((row) => {
    const [, number, name, , way] = row.split("|").map((cell) => cell.trim());
    const [, shown, target] = /^\[`(.+)`\]\(\.\.\/\.\.\/(.+)\)$/.exec(name ?? "") ?? [];
    assert.equal(shown, target, row);
    return { number: Number(number), file: shown ?? "", way: way ?? "" };
  });
}

/** What is wrong with a stop; null when it is as the page says. */
function faultOf({ number, file, way }: Stop, stops: readonly Stop[]): string | null {
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`;
  if (number === 1) return way === "" ? null : `${file} begins the walk`;
  const [, verb, other, target] =
    /^(imported by|imports|meets) (\d+)(?: in `(.+)`)?$/.exec(way) ?? [];
  const from = stops[Number(other) - 1]?.file;
  if (from === undefined || Number(other) >= number) return `${file}: cannot read "${way}"`;
  const needed =
    verb === "imports"
      ? [`${file} -> ${from}`]
      : verb === "imported by"
        ? [`${from} -> ${file}`]
        : [`${from} -> ${target}`, `${file} -> ${target}`];
  const missing = needed.filter((edge) => !edges.has(edge));
  return missing.length === 0 ? null : `no import ${missing.join(", ")}`;
}
