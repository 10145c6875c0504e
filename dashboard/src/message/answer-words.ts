import { visibleText } from "../parts/visible-text.ts";

/** What an answer says, in a few words: the message in its JSON, the title of its page, or its beginning. */
export function answerWords(body: string): string {
  const text = body.trimStart();
  const said = /^[[{"]/.test(text)
    ? jsonWords(text)
    : text.startsWith("<")
      ? pageWords(text)
      : firstLine(text);
  return visibleText(said.replaceAll(/\s+/g, " ").trim().slice(0, WORDS_MAX));
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function jsonWords(text: string): string {
  try {
    return wordsIn(JSON.parse(text), DEPTH_MAX) ?? text;
  } catch {
    // Only the beginning of a long answer is kept.
    return inBeginning(text) ?? text;
  }
}

/** The first text among the names that servers give their message. */
function wordsIn(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value === "" ? null : value;
  if (typeof value !== "object" || value === null || depth === 0) return null;
  if (Array.isArray(value)) return wordsIn(value[0], depth - 1);
  for (const name of NAMES) {
    const said = wordsIn((value as Record<string, unknown>)[name], depth - 1);
    if (said !== null) return said;
  }
  return null;
}

function inBeginning(text: string): string | null {
  const found = BEGINNING.exec(text)?.[1];
  if (found === undefined) return null;
  try {
    return JSON.parse(`"${found}"`) as string;
  } catch {
    return found;
  }
}

function pageWords(text: string): string {
  const found = /<(title|h1)\b[^>]*>([^<]+)/i.exec(text)?.[2];
  return unescaped(found ?? text.replaceAll(/<[^>]*>?/g, " "));
}

function unescaped(text: string): string {
  return text.replaceAll(/&(lt|gt|quot|#39|amp);/g, (whole, name: string) => MARKS[name] ?? whole);
}

const MARKS: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  amp: "&",
};
const NAMES = ["message", "error_description", "error", "detail", "title", "errors", "reason"];
const BEGINNING =
  /"(?:message|error_description|error|detail|title|reason)"\s*:\s*"((?:[^"\\]|\\.)*)/;
const DEPTH_MAX = 4;
const WORDS_MAX = 200;
