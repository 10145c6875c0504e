/**
 * The `message` of an error that an endpoint answered as JSON, if all of it is in the beginning of
 * the answer. SDKs answer the stack of an error after its message.
 */
export function errorMessage(beginning: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(beginning);
  let at = skipSpace(text, 0);
  while (text[at] === "{" || text[at] === ",") {
    const name = stringAt(text, skipSpace(text, at + 1));
    if (name === undefined) return undefined;
    const colon = skipSpace(text, name.end);
    if (text[colon] !== ":") return undefined;
    const value = stringAt(text, skipSpace(text, colon + 1));
    if (value === undefined || name.value === "message") return value?.value;
    at = skipSpace(text, value.end);
  }
  return undefined;
}

interface JsonString {
  readonly value: string;
  /** Where the text goes on. */
  readonly end: number;
}

/** The JSON string that begins there, if one does and it is whole. */
function stringAt(text: string, start: number): JsonString | undefined {
  if (text[start] !== '"') return undefined;
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  if (quote === -1) return undefined;
  try {
    return { value: JSON.parse(text.slice(start, quote + 1)) as string, end: quote + 1 };
  } catch {
    return undefined;
  }
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text[first - 1] === "\\") first -= 1;
  return (quote - first) % 2 === 1;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\r" || text[at] === "\t") at += 1;
  return at;
}
