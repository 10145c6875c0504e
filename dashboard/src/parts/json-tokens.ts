/** JSON as colored parts. */
export interface JsonToken {
  /** The class of the part: a key, a string, a number or word, or none. */
  readonly kind: "" | "k" | "s" | "n";
  readonly text: string;
}

/** The text with line breaks, or null when it is not JSON. */
export function prettyJson(text: string): string | null {
  const first = text.trimStart()[0] ?? "";
  if (!/[[{"\d-]|t|f|n/.test(first)) return null;
  try {
    JSON.parse(text);
    return layOut(text);
  } catch {
    return null;
  }
}

/** From the text itself and not from its value, so that big numbers and repeated keys stay as they were sent. */
function layOut(text: string): string {
  let out = "";
  let depth = 0;
  for (const { 0: part } of text.matchAll(PARTS)) {
    if (/^\s/.test(part)) continue;
    if (part === "{" || part === "[") out += `${part}\n${"  ".repeat(++depth)}`;
    else if (part === "}" || part === "]") {
      depth -= 1;
      out = /[[{]\s*$/.test(out)
        ? `${out.trimEnd()}${part}`
        : `${out}\n${"  ".repeat(depth)}${part}`;
    } else if (part === ",") out += `,\n${"  ".repeat(depth)}`;
    else out += part === ":" ? ": " : part;
  }
  return out;
}

export function jsonTokens(text: string): JsonToken[] {
  const tokens: JsonToken[] = [];
  for (const match of text.matchAll(PARTS)) {
    const part = match[0];
    const isKey =
      part.startsWith('"') &&
      /^\s*:/.test(text.slice(match.index + part.length, match.index + part.length + 2));
    const kind = isKey ? "k" : part.startsWith('"') ? "s" : /^[-\dtfn]/.test(part) ? "n" : "";
    const last = tokens.at(-1);
    if (kind === "" && last?.kind === "")
      tokens[tokens.length - 1] = { kind, text: `${last.text}${part}` };
    else tokens.push({ kind, text: part });
  }
  return tokens;
}

const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\s+|[^\s{}[\],:"]+/g;
