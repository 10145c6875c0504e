import { PARTS, type PartName } from "./benchmark-parts.ts";
import type { BenchmarkResult, Row } from "./results.ts";

/** docs/internals/benchmarks.md with the measured parts between their comments; the rest is prose. */
export function benchmarksPage(
  page: string,
  benchmarks: Readonly<Partial<Record<PartName, BenchmarkResult>>>,
): string {
  const parts = Object.keys(PARTS) as PartName[];
  return parts.reduce((text, part) => withPart(text, part, partText(part, benchmarks[part])), page);
}

export function plotOf(part: PartName): string {
  return `images/bench-${part}.svg`;
}

function partText(part: PartName, measured: BenchmarkResult | undefined): string {
  if (measured === undefined) return "Not measured yet.";
  const { command, date, machine, setting, commit, rows, notes } = measured;
  const { title, heading } = PARTS[part];
  return [
    `\`${command}\`, ${date}, ${machine}, ${setting}, commit ${commit}:`,
    markdownTable(heading, rows),
    ...notes,
    ...(rows.some(({ bar }) => bar !== undefined) ? [`![${title}](${plotOf(part)})`] : []),
  ].join("\n\n");
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
