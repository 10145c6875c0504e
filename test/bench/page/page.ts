import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { besides } from "../child.ts";
import { barPlot } from "./bars.ts";
import { type Bar, type Findings, type PartName, PARTS, type Row } from "./parts.ts";

const FOLDER = besides("../../docs/internals");
const PAGE = join(FOLDER, "benchmarks.md");

/** Replaces the parts that were measured, with their plots. The other parts stay as they are. */
export function writePage(findings: Findings, command: string, machine: string): void {
  let page = readPage();
  mkdirSync(join(FOLDER, "images"), { recursive: true });
  for (const part of findings.parts()) {
    const rows = findings.rows(part);
    const bars = rows.flatMap(({ bar }): Bar[] => (bar === undefined ? [] : [bar]));
    const { title } = PARTS[part];
    const image = `images/bench-${part}.svg`;
    if (bars.length > 0) writeFileSync(join(FOLDER, image), barPlot(title, bars));
    const text = [
      `\`${command}\`, ${machine}:`,
      markdownTable(PARTS[part].heading, rows),
      ...findings.notes(part),
      ...(bars.length > 0 ? [`![${title}](${image})`] : []),
    ].join("\n\n");
    page = withPart(page, part, text);
  }
  writeFileSync(PAGE, page);
}

export function readPage(): string {
  return readFileSync(PAGE, "utf8");
}

/** The page with other text between the two comments of a part. */
export function withPart(page: string, part: PartName, text: string): string {
  const [begin, end] = [`<!-- bench ${part}: begin -->`, `<!-- bench ${part}: end -->`];
  const [before, rest, ...more] = page.split(begin);
  const [, after, ...others] = (rest ?? "").split(end);
  if (before === undefined || after === undefined || more.length + others.length > 0) {
    throw new Error(`the page needs one "${begin}" with one "${end}" behind it`);
  }
  return `${before}${begin}\n\n${text}\n\n${end}${after}`;
}

/** In the form that `npm run format` leaves alone. */
export function markdownTable(heading: readonly string[], rows: readonly Row[]): string {
  const all = [heading, ...rows.map(({ cells }) => cells)];
  const widths = heading.map((_, column) => Math.max(3, ...all.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [line(heading), line(rule), ...all.slice(1).map(line)].join("\n");
}
