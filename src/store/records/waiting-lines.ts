import type { LineKey, LineStatus } from "../../core/model/line/line-setting.ts";
import type {
  AccountLoad,
  LineLoad,
  WaitingGroup,
  WaitingLine,
} from "../../core/model/line/waiting.ts";
import {
  WAITING_FIRST_COUNT,
  WAITING_LINE_ROWS_MAX,
  WAITING_LINES_MAX,
  WAITING_ROWS_MAX,
} from "../reader/lines.ts";
import { type Row, toLineSnapshot } from "./rows.ts";

/** The kinds of lines as ranges of their names. */
export const LINE_RANGES = ["h", "k", "q", "r"].map((letter) => [`${letter}:`, `${letter};`]);

export function toAccountLoad(row: Row | undefined): AccountLoad {
  return {
    isHalted: Boolean(row?.["halted"]),
    parallelismMax: (row?.["parallelism_max"] ?? null) as number | null,
    held: (row?.["held"] ?? 0) as number,
  };
}

export function toLineLoad(row: Row, key: LineKey, account: AccountLoad): LineLoad {
  const { setting, running, held } = toLineSnapshot(row, key);
  return { setting, running, held, account };
}

/** The names of one kind's lines, of which `numbered` are the rows with their numbers. */
export function waitingNames(numbered: readonly Row[]): { names: string[]; isPartial: boolean } {
  const names = numbered.filter((row) => !row["emptied"]).map((row) => row["line"] as string);
  const last = (numbered.at(-1)?.["number"] ?? 0) as number;
  return {
    names: names.slice(0, WAITING_LINES_MAX),
    isPartial: names.length > WAITING_LINES_MAX || last === WAITING_LINE_ROWS_MAX,
  };
}

/** The counts of a line, where each count ended at `countedMax`. */
export function toWaitingLine(
  line: string,
  load: LineLoad,
  row: Row,
  countedMax: number,
): WaitingLine {
  const isLaterAbout = numberOf(row, "delayed") + numberOf(row, "retried") >= countedMax;
  return {
    ...load,
    line,
    due: groupIn(row, "due", numberOf(row, "due") >= countedMax),
    delayed: groupIn(row, "delayed", isLaterAbout),
    retried: groupIn(row, "retried", isLaterAbout),
  };
}

/**
 * Shares the messages that one search may count among the lines whose first counts ended early. What
 * the smaller lines leave over is shared by the larger ones in another round.
 */
export class CountShares {
  readonly #lines: ReadonlyMap<string, WaitingLine>;
  #rowsLeft = WAITING_ROWS_MAX;
  #countedMax = WAITING_FIRST_COUNT;
  #names: readonly string[] = [];

  /** Each round is expected to put its new counts into `lines`. */
  constructor(lines: ReadonlyMap<string, WaitingLine>) {
    this.#lines = lines;
  }

  /** The lines to count again, and up to what; null when another round would count no further. */
  next(): { readonly names: readonly string[]; readonly countedMax: number } | null {
    for (const name of this.#names) this.#rowsLeft -= countedIn(this.#lines.get(name)!);
    const about = [...this.#lines.values()].filter(isAbout);
    const countedMax = sharedCountMax(about.length, this.#rowsLeft);
    if (about.length === 0 || countedMax <= this.#countedMax) return null;
    this.#countedMax = countedMax;
    this.#names = about.map(({ line }) => line);
    return { names: this.#names, countedMax };
  }
}

/**
 * Where, of listed lines, the first counts ended early, and up to what those are counted again. Very many
 * would get no more than their first counts: then none is.
 */
export function toListAgain(statuses: readonly LineStatus[]): {
  indices: number[];
  countedMax: number;
} {
  const indices = statuses.flatMap(({ waiting }, index) =>
    waiting >= WAITING_FIRST_COUNT ? [index] : [],
  );
  const countedMax = sharedCountMax(indices.length, WAITING_ROWS_MAX);
  return { indices: countedMax > WAITING_FIRST_COUNT ? indices : [], countedMax };
}

function sharedCountMax(lines: number, rows: number): number {
  return Math.floor(rows / Math.max(1, lines));
}

function countedIn({ due, delayed, retried }: WaitingLine): number {
  return [due, delayed, retried].reduce((sum, group) => sum + (group?.count ?? 0), 0);
}

function isAbout({ due, delayed, retried }: WaitingLine): boolean {
  return [due, delayed, retried].some((group) => group?.isAbout);
}

function numberOf(row: Row, name: string): number {
  return Number(row[name]);
}

function groupIn(row: Row, name: string, isGroupAbout: boolean): WaitingGroup | null {
  const count = numberOf(row, name);
  if (count === 0) return null;
  return {
    count,
    isAbout: isGroupAbout,
    oldestId: row[`${name}_oldest`] as string,
    oldestHost: (row[`${name}_host`] ?? "") as string,
    readyAt: numberOf(row, `${name}_ready_at`),
  };
}
