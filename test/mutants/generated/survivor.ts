import { readFileSync } from "node:fs";

import type { Mutation } from "./mutations.ts";

/** A generated defect that no test notices, and why that is right. */
export interface Survivor {
  readonly file: string;
  /** The whole lines that it changes, without the space around them. */
  readonly lines: string;
  readonly become: string;
  readonly reason: string;
}

/** A defect in the words of a row. */
export function described(
  file: string,
  text: string,
  mutation: Mutation,
): Omit<Survivor, "reason"> {
  const { start, end, replacement } = mutation;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const lineEnd = text.indexOf("\n", end);
  const until = lineEnd === -1 ? text.length : lineEnd;
  return {
    file,
    lines: text.slice(from, until).trim(),
    become: (text.slice(from, start) + replacement + text.slice(end, until)).trim(),
  };
}

export function isListed(rows: readonly Survivor[], found: Omit<Survivor, "reason">): boolean {
  return rows.some(
    ({ file, lines, become }) =>
      file === found.file && lines === found.lines && become === found.become,
  );
}

/** Rows whose code is gone. */
export function stale(rows: readonly Survivor[], root: string): string[] {
  return rows
    .filter(({ file, lines }) => !textOf(`${root}${file}`).includes(lines))
    .map(({ file, lines }) => `${file} no longer holds ${JSON.stringify(lines)}`);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
