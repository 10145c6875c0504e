/**
 * A body as rows of limited length. A row is a place in the text, so that a body of many megabytes
 * is laid out in one pass, and colored only where it is seen.
 */
export interface CodeRows {
  readonly text: string;
  readonly isJson: boolean;
  readonly count: number;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly depths: readonly number[];
}

/** How a text is shown: as it is, or as JSON with a member in each row. */
export function codeRows(text: string, isRaw: boolean): CodeRows {
  const laidOut = !isRaw && isJsonText(text) ? layOut(text) : null;
  return laidOut ?? splitLines(text);
}

export function isJsonText(text: string): boolean {
  if (!/^\s*[[{"\dtfn-]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** From the text itself and not from its value, so that big numbers and repeated keys stay as they were sent. */
function layOut(text: string): CodeRows | null {
  const rows = new RowList(text, true);
  let start = 0;
  let depth = 0;
  const end = (at: number): void => {
    rows.add(start, at, depth);
    start = at;
  };
  for (let at = 0; at < text.length && rows.count <= ROWS_MAX; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === ",") end(at + 1);
    else if (character === "{" || character === "[") {
      const next = pastSpace(text, at + 1);
      if (text[next] === "}" || text[next] === "]") at = next;
      else {
        end(at + 1);
        depth += 1;
      }
    } else if (character === "}" || character === "]") {
      end(at);
      depth -= 1;
    }
  }
  end(text.length);
  return rows.count > ROWS_MAX ? null : rows;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const character = text[at];
    if (character === '"' || character === undefined) return at;
    if (character === "\\") at += 1;
  }
}

function pastSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text[at])) at += 1;
  return at;
}

function isSpace(character: string | undefined): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

function splitLines(text: string): CodeRows {
  const rows = new RowList(text, false);
  let start = 0;
  while (start <= text.length && rows.count <= ROWS_MAX) {
    const found = text.indexOf("\n", start);
    const end = found < 0 ? text.length : found;
    rows.add(start, end, 0);
    start = end + 1;
  }
  return rows;
}

class RowList implements CodeRows {
  readonly text: string;
  readonly isJson: boolean;
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly depths: number[] = [];

  constructor(text: string, isJson: boolean) {
    this.text = text;
    this.isJson = isJson;
  }

  get count(): number {
    return this.starts.length;
  }

  /** A part that is longer than a row continues in the next. */
  add(from: number, to: number, depth: number): void {
    const start = this.isJson ? pastSpace(this.text, from) : from;
    if (this.isJson && start >= to) return;
    let at = start;
    do {
      const next = Math.min(to, this.#wholeCharacter(at + ROW_CHARACTERS_MAX));
      this.starts.push(at);
      this.ends.push(next);
      this.depths.push(at === start ? depth : CONTINUES);
      at = next;
    } while (at < to);
  }

  #wholeCharacter(at: number): number {
    const code = this.text.charCodeAt(at);
    return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
  }
}

/** The depth of a row that continues the one before it. */
export const CONTINUES = -1;
/** More are higher than the 33 million pixels that Chromium can draw. JSON is then shown as it was sent. */
export const ROWS_MAX = 1_800_000;
export const ROW_CHARACTERS_MAX = 2_000;
