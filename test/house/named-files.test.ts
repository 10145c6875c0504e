/** The glossary of ARCHITECTURE.md and the table of CONTRIBUTING.md name what is in the tree. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathsIn, rowsOf } from "./markdown.ts";
import { ROOT } from "./sources.ts";

const architecture = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
const contributing = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");

/** The words that the code is made of; each is explained once. */
const WORDS =
  "act, rule, change, message, facts, line, lease, fence, slot, tick, run, entry, waiter, dead letter, piece, node, heartbeat, settlement";

const unquoted = (cell: string | undefined): string => (cell ?? "").replaceAll("`", "");

test("the glossary explains every central word, with a type that its file exports", () => {
  const rows = rowsOf(architecture, "Glossary");
  assert.deepEqual(rows.map(([word]) => word).join(", "), WORDS);
  const wrong = rows.flatMap(([word, , type, file]) => {
    const path = join(ROOT, unquoted(file));
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const exported = new RegExp(
      `^export (?:interface|type|class|const|function) ${unquoted(type)}\\b`,
      "m",
    );
    return exported.test(text) ? [] : [`${word}: ${unquoted(file)} exports no ${unquoted(type)}`];
  });
  assert.deepEqual(wrong, []);
});

test("how to change it names files and folders that exist", () => {
  const rows = rowsOf(contributing, "How to change it");
  assert.ok(rows.length >= 15);
  const named = rows.map((row) => ({ want: row[0]!, paths: pathsIn(row.join(" ")) }));
  assert.deepEqual(
    named.filter(({ paths }) => paths.length === 0),
    [],
  );
  const missing = named.flatMap(({ want, paths }) =>
    paths.filter((path) => !existsSync(join(ROOT, path))).map((path) => `${want}: ${path}`),
  );
  assert.deepEqual(missing, []);
});

test("ARCHITECTURE.md names files and folders that exist", () => {
  const paths = pathsIn(architecture);
  assert.ok(paths.length > 20);
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(ROOT, path))),
    [],
  );
});
