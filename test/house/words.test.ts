/** Comments and texts name the actor and use the words of the field, in American spelling. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readSources, type SourceFile } from "./sources.ts";

interface Word {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Refused anywhere in a source file, in comments, log texts and names. */
const NAMELESS: readonly Word[] = [
  {
    pattern: /\b(some|any|no|every)body\b|\b(some|any|every)one\b|\bwhoever\b/i,
    instead: "the caller, the node, the message, the claim or the transaction that is meant",
  },
];

/** Refused in comments. */
const PRIVATE: readonly Word[] = [
  { pattern: /\bstands? in (a|the|its|no|one) (line|queue|key)\b/i, instead: "is in, waits in" },
  { pattern: /\b(is|are) asked for\b/i, instead: "is requested" },
  { pattern: /\bwhat is kept\b/i, instead: "the stored ..., by its name" },
  { pattern: /\bcomes second\b/i, instead: "the second act, or the second node" },
  { pattern: /\blet(s|ting)? (\w+ )?through\b/i, instead: "has room for, admits, allows" },
  { pattern: /\b(brings?|brought) home\b/i, instead: "delivers, returns" },
  { pattern: /\bnewcomers?\b/i, instead: "a new message, a new account" },
  { pattern: /\bhurried\b/i, instead: "leased at publish" },
  { pattern: /\blook(s|ed|ing)? at\b/i, instead: "reads, checks, visits" },
  { pattern: /\b(go|goes|going|gone|went) on\b/i, instead: "continues" },
];

const BRITISH: readonly Word[] = [
  { pattern: /\b(cancel|dial|label|model|travel)l(ed|ing)\b/i, instead: "a single l" },
  { pattern: /\b(behavi|col|fav|hon|lab|neighb)our/i, instead: "-or" },
  {
    pattern: /\b(author|initial|normal|organ|recogn|serial|synchron)is(e|ed|es|ing)\b/i,
    instead: "-ize",
  },
  {
    pattern: /\b(licence|defence|misspelt|grey)\b/i,
    instead: "license, defense, misspelled, gray",
  },
];

const sources = readSources("src/**/*.ts", "sdk/src/**/*.ts", "dashboard/src/**/*.{ts,tsx}");

test("a word list finds what it forbids, and nothing in quotes", () => {
  assert.deepEqual(found(source("/** Nobody waits. */"), NAMELESS, ({ text }) => text).length, 1);
  assert.deepEqual(found(source("// It goes on."), PRIVATE, commentsOf).length, 1);
  assert.deepEqual(found(source("// Was cancelled."), BRITISH, commentsOf).length, 1);
  assert.deepEqual(
    found(source('// Says `cancelled` and {"cancelled": 1}.'), BRITISH, commentsOf),
    [],
  );
  assert.deepEqual(found(source('const state = "cancelled";'), BRITISH, commentsOf), []);
});

test("comments, texts and names say who acts", () => {
  assert.ok(sources.length > 0);
  assert.deepEqual(
    found(sources, NAMELESS, ({ text }) => text),
    [],
  );
});

test("comments use the words of the field", () => {
  assert.deepEqual(found(sources, PRIVATE, commentsOf), []);
});

test("comments use American spelling", () => {
  assert.deepEqual(found(sources, BRITISH, commentsOf), []);
});

function found(
  files: readonly SourceFile[],
  words: readonly Word[],
  read: (file: SourceFile) => string,
): string[] {
  return files.flatMap((file) => {
    const text = read(file);
    return words.flatMap(({ pattern, instead }) => {
      const [match] = pattern.exec(text) ?? [];
      return match === undefined ? [] : [`${file.path}: "${match}"; say ${instead}`];
    });
  });
}

/** The comment lines of a file as one text, so that a phrase is found across lines. */
function commentsOf({ text }: SourceFile): string {
  const lines = text.split("\n").filter((line) => /^\s*(\/\*|\*|\/\/)/.test(line));
  return lines
    .map((line) => line.replace(/^\s*(\/\*\*?|\*\/?|\/\/)\s?/, ""))
    .join(" ")
    .replace(/`[^`]*`|"[^"]*"/g, "");
}

function source(text: string): SourceFile[] {
  return [{ path: "made-up.ts", text, code: "", imports: [] }];
}
