/** JSON as colored parts. */
import { CONTINUES, type CodeRows } from "./code-rows.ts";

export interface JsonToken {
  /** The class of the part: a key, a string, a number or word, or none. */
  readonly kind: "" | "k" | "s" | "n";
  readonly text: string;
}

/** One row, indented; a text that is not JSON has no colors. */
export function rowTokens(rows: CodeRows, row: number): JsonToken[] {
  const text = rows.text.slice(rows.starts[row], rows.ends[row]);
  if (!rows.isJson) return [{ kind: "", text }];
  const depth = rows.depths[row]!;
  // Only a string is longer than a row, and it holds no line break; space between parts may.
  if (depth === CONTINUES) return [{ kind: "s", text: text.replaceAll(/[\n\r\t]/g, "") }];
  const tokens: JsonToken[] = [{ kind: "", text: INDENT.repeat(Math.min(depth, DEPTH_MAX)) }];
  for (const match of text.matchAll(PARTS)) {
    const part = match[0];
    if (/^\s/.test(part)) continue;
    const kind = kindOf(part, text, match.index + part.length);
    const last = tokens.at(-1)!;
    if (kind === "" && last.kind === "") {
      tokens[tokens.length - 1] = { kind, text: `${last.text}${part}` };
    } else tokens.push({ kind, text: part === ":" ? ": " : part });
  }
  return tokens;
}

function kindOf(part: string, text: string, end: number): JsonToken["kind"] {
  if (part.startsWith('"')) return /^\s*:/.test(text.slice(end)) ? "k" : "s";
  return /^[-\dtfn]/.test(part) ? "n" : "";
}

/** A string may be cut by the end of the row. */
const PARTS = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\],:]|\s+|[^\s{}[\],:"]+/g;
const INDENT = "  ";
/** Deeper members are not moved further to the right. */
const DEPTH_MAX = 60;
