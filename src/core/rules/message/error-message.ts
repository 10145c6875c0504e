/**
 * The `message` of an error that an endpoint answered as JSON, if it is complete in the beginning
 * of the response. SDKs put the stack of an error after its message.
 */
export function errorMessage(beginning: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(beginning);
  let at = skipSpace(text, 0);
  for (
    let members = 0;
    members < MEMBERS_MAX && (text[at] === "{" || text[at] === ",");
    members++
  ) {
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

/** A message comes first, or soon after. */
const MEMBERS_MAX = 100;

interface JsonString {
  readonly value: string;
  /** The index after the string. */
  readonly end: number;
}

/** The JSON string at `start`, if there is a complete one. */
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

/** True after an odd number of backslashes. */
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
