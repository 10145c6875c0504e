/** What commands print: tables for people, JSON for programs, ids for scripts. */
import colors from "picocolors";
import type { Flags } from "../flags.ts";

/** Columns of a table, by their heads. The first one is what `--quiet` prints. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

export class Output {
  readonly mode: "text" | "json" | "quiet";

  constructor(flags: Flags) {
    this.mode = flags.is("json") ? "json" : flags.is("quiet") ? "quiet" : "text";
  }

  /** One thing: as text, whole as JSON, or as its id. */
  one(value: unknown, text: () => string, id = ""): void {
    if (this.mode === "json") write(`${jsonText(value, 2)}\n`);
    else if (this.mode === "text") write(`${text()}\n`);
    else if (id !== "") write(`${plain(id)}\n`);
  }

  /** One of several things: as text, as a JSON line, or as its id. */
  item(value: unknown, text: () => string, id: string): void {
    if (this.mode === "json") this.json(value);
    else this.one(value, text, id);
  }

  /** For scripts: one id on each line. */
  ids(ids: readonly string[]): void {
    if (this.mode === "quiet") for (const id of ids) write(`${plain(id)}\n`);
  }

  /** A line that the next one replaces, where people read. */
  progress(text: string): void {
    if (this.mode !== "quiet") progress(text);
  }

  /** What was done, in a sentence. */
  done(sentence: string, answer: unknown = {}): void {
    this.one(answer, () => plainText(sentence));
  }

  /** One line for each item as it comes; `limit` of them, 0 for all. */
  async list<Item>(
    items: AsyncIterable<Item> | Iterable<Item>,
    columns: Columns<Item>,
    limit = 0,
  ): Promise<void> {
    endsWithReader();
    let count = 0;
    let widths: readonly number[] | undefined;
    const waiting: string[][] = [];
    const [first] = Object.values(columns);
    const flush = (): void => {
      if (waiting.length === 0) return;
      const rows = widths === undefined ? [Object.keys(columns), ...waiting] : waiting;
      widths ??= widthsOf(rows);
      write(tableText(rows, widths));
      waiting.length = 0;
    };
    for await (const item of items) {
      if (limit > 0 && count === limit) {
        flush();
        note(`only the first ${limit} are shown; --limit changes that, 0 is all of them`);
        return;
      }
      count += 1;
      if (this.mode === "json") write(`${jsonText(item)}\n`);
      else if (this.mode === "quiet") write(`${plain(first?.(item))}\n`);
      else if (waiting.push(Object.values(columns).map((cell) => plain(cell(item)))) === CHUNK)
        flush();
    }
    flush();
    if (count === 0 && this.mode === "text") note("there are none");
  }

  /** Text as it is, where people read. */
  text(text: string): void {
    if (this.mode === "text") write(text);
  }

  /** A JSON line, where programs read. */
  json(value: unknown): void {
    if (this.mode === "json") write(`${jsonText(value)}\n`);
  }
}

/** Names and values, one on each line; those that are absent are left out. */
export function factLines(facts: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given.map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`).join("\n");
}

/** `1 message`, `2 messages`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** What a command has done to a store: facts as JSON, or lines for people. */
export function tell(flags: Flags, facts: object, lines: readonly string[]): void {
  write(flags.is("json") ? `${jsonText(facts)}\n` : `${lines.join("\n")}\n`);
}

/** A line on the terminal that the next one replaces; nothing where standard error is no terminal. */
export function progress(text: string): void {
  const { isTTY, columns } = process.stderr;
  // A line that is wrapped could not be replaced.
  if (isTTY && (text !== "" || isProgressShown)) {
    process.stderr.write(`\r\u001b[2K${text.slice(0, Math.max(columns - 1, 1))}`);
    process.off("SIGINT", endProgress);
    if (text !== "") process.prependListener("SIGINT", endProgress);
  }
  isProgressShown = text !== "";
}

/** Ctrl-C leaves no line behind. It ends a command that does not say by itself what it does then. */
function endProgress(): void {
  progress("");
  if (process.listenerCount("SIGINT") === 0) process.kill(process.pid, "SIGINT");
}

let isProgressShown = false;

/** A line on standard error. */
export function remark(line: string): void {
  progress("");
  process.stderr.write(`${line}\n`);
}

/** JSON in which characters that a terminal would obey are escaped, those also that JSON allows. */
export function jsonText(value: unknown, indent = 0): string {
  const text = JSON.stringify(value ?? null, null, indent);
  return text.replaceAll(OBEYED_IN_JSON, (found) => {
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

export function tableText(
  rows: readonly string[][],
  widths: readonly number[] = widthsOf(rows),
): string {
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        if (column === row.length - 1) return cell;
        return cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - cellsOf(cell)));
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

/** Without characters that a terminal would obey: controls, and marks that turn the order of the text around. */
export function plain(value: unknown): string {
  const text = String(value).replaceAll(OBEYED, "?");
  return value === undefined || value === null ? "" : text;
}

/** Text of several lines, without what a terminal would obey. */
export function plainText(text: string): string {
  return text.split("\n").map(plain).join("\n");
}

/**
 * A reader that has seen enough, such as `head`, ends a command that only lists, without a complaint.
 * Any other command does its work to the end, and its exit code tells how.
 */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") tellOnce(`the output cannot be written (${error.code})`);
      if (!onlyLists || stream !== process.stdout) return;
      process.exit(error.code === "EPIPE" ? 0 : 1);
    });
  }
}

function tellOnce(sentence: string): void {
  if (isTold) return;
  isTold = true;
  process.exitCode = 1;
  process.stderr.write(`postrider: ${sentence}\n`);
}

/** Called by what prints without end or in pages, and changes nothing. */
export function endsWithReader(): void {
  onlyLists = true;
}

let onlyLists = false;
let isTold = false;

/** On standard error, so that a program that reads the list does not take it for an item. */
export function note(text: string): void {
  remark(colors.dim(`(${text})`));
}

function write(text: string): void {
  progress("");
  process.stdout.write(text);
}

function widthsOf(rows: readonly string[][]): number[] {
  const [head = []] = rows;
  return head.map((_, column) => Math.max(...rows.map((row) => cellsOf(row[column] ?? ""))));
}

/** How many cells of a terminal a text fills. An emoji has two code units and fills two. */
function cellsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  return text.length + (text.match(WIDE)?.length ?? 0) - (text.match(WITHOUT_CELL)?.length ?? 0);
}

const NARROW = /^[\x20-\u02ff]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/g;
const WITHOUT_CELL = /[\p{Mn}\p{Cf}]/gu;

/** Rows that are measured together. */
const CHUNK = 200;
const OBEYED_IN_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const OBEYED =
  /[^\x20-\x7e\u00a0-\uffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
