/** Types that stand where a client reads an answer, and are declared by hand in place of made from a schema. */
import { dirname, join } from "node:path";
import type { SourceFile } from "./sources.ts";

/** `file: Name` of each that has members of its own. */
export function declaredAnswers(files: readonly SourceFile[]): string[] {
  const code = new Map(files.map((file) => [file.path, file.code]));
  const found = files.flatMap(({ path, code: text }) =>
    answerTypesIn(path, text).flatMap((type) => ownNames(type, path, code)),
  );
  return [...new Set(found)].toSorted();
}

/** What a call that reads an answer is said to give. A method of the SDK's client gives its users what it was answered. */
function answerTypesIn(path: string, code: string): string[] {
  const annotated = code.matchAll(/: ([^=;()]+) = await (?:call|\S+\.json)\(/g);
  const readers = path.startsWith("sdk/src/client/") ? CLIENT_READERS : READERS;
  const given = code.matchAll(readers);
  return [
    ...Array.from(annotated, ([, type]) => type!),
    ...Array.from(given, ({ 0: head, index }) => bracketed(code.slice(index + head.length))),
  ];
}

function bracketed(text: string): string {
  let depth = 1;
  // An arrow of a function type closes nothing.
  for (const { 0: bracket, index } of text.matchAll(/(?<!=)>|</g)) {
    depth += bracket === "<" ? 1 : -1;
    if (depth === 0) return text.slice(0, index);
  }
  return text;
}

function ownNames(type: string, path: string, code: ReadonlyMap<string, string>): string[] {
  if (type.includes("{")) return [`${path}: ${type.replaceAll(/\s+/g, " ")}`];
  const names = type.replaceAll(/"[^"]*"/g, "").match(/\b[A-Z]\w*/g) ?? [];
  return names.flatMap((name) => declaredByHand(name, path, code));
}

function declaredByHand(name: string, path: string, code: ReadonlyMap<string, string>): string[] {
  const text = code.get(path);
  if (text === undefined || path.includes("/answers/")) return [];
  const imported = new RegExp(
    String.raw`import (?:type )?\{[^}]*?(?:\b(\w+) as )?\b${name}\b[^}]*\} from "(\.[^"]+)"`,
  ).exec(text);
  if (imported !== null) {
    return declaredByHand(imported[1] ?? name, join(dirname(path), imported[2]!), code);
  }
  if (new RegExp(String.raw`\binterface ${name}\b`).test(text)) return [`${path}: ${name}`];
  const alias = new RegExp(String.raw`^(?:export )?type ${name}\b[^=]*=([^;]+);`, "m").exec(text);
  if (alias === null) return [];
  return alias[1]!.includes("{") ? [`${path}: ${name}`] : ownNames(alias[1]!, path, code);
}

const READERS = /\b(?:json|call|useResource|pathSource)</g;
const CLIENT_READERS = /\b(?:json|Promise)</g;
