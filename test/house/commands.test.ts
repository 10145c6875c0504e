/** The table of commands: each line has code, and each piece of code a line. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { CONSOLE_COMMANDS } from "../../src/cli/account/account.ts";
import { COMMANDS, OPTIONS } from "../../src/cli/command-table.ts";
import { handlerOf, localHandlerOf, storeHandlerOf } from "../../src/cli/handlers.ts";
import { edgesOf, importsIn, readSources, ROOT, type SourceFile } from "./sources.ts";

test("each command has code", async () => {
  assert.ok(COMMANDS.length > 60);
  for (const { name, who } of COMMANDS) {
    if (who === "token" || who === "owner") await handlerOf(name);
    else if (who === "machine") await localHandlerOf(name);
    else if (who === "store") await storeHandlerOf(name);
    else if (who === "operator") assert.ok(Object.hasOwn(CONSOLE_COMMANDS, name), name);
  }
});

test("each piece of code is a command", async () => {
  const names = new Set(COMMANDS.map(({ name }) => name));
  const coded = Object.keys(CONSOLE_COMMANDS);
  const onStore = ["backup", "move", "query", "restore"].map((name) => `src/cli/store/${name}.ts`);
  const found = globSync("src/cli/commands/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] });
  for (const file of [...found, ...onStore]) {
    const { HANDLERS = {} } = (await import(`../../${file}`)) as { HANDLERS?: object };
    coded.push(...Object.keys(HANDLERS));
  }
  assert.deepEqual(
    coded.filter((name) => !names.has(name)),
    [],
  );
});

test("each command has a sentence and an example of itself, and each option a command", () => {
  const commands = COMMANDS.filter(({ who }) => who !== undefined);
  for (const { name, says, example } of commands) {
    assert.ok(says.length > 10, name);
    assert.ok(`${example} `.startsWith(`${name} `), `${name}: ${example}`);
  }
  const used = new Set(commands.flatMap(({ options }) => options.map((option) => option.name)));
  assert.deepEqual(
    OPTIONS.map(({ name }) => name).filter((name) => !used.has(name)),
    [],
  );
});

test("a command reads only its own code", () => {
  const edges = edgesOf(readSources("{src,sdk/src}/**/*.ts").map(withoutLazyImports));
  const known = new Set(["src/cli/main.ts"]);
  for (const path of known) {
    for (const { from, to } of edges) if (from === path) known.add(to);
  }
  assert.ok(known.has("src/cli/command-table.ts"));
  const rooms = new Set([...known].map((path) => path.split("/").slice(0, 2).join("/")));
  assert.deepEqual([...rooms].toSorted(), ["src/cli", "src/config", "src/core"]);
  assert.ok(known.size < 20, [...known].join(" "));
});

/** Types are gone when the program runs, and an import within a function waits for it. */
function withoutLazyImports(file: SourceFile): SourceFile {
  const code = file.code
    .replaceAll(/^import type [^;]+;$/gm, "")
    .replaceAll(/\bimport\(/g, "lazy(");
  return { ...file, imports: importsIn(code) };
}

test("a word names one thing", () => {
  assert.equal(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length);
  assert.equal(new Set(OPTIONS.map(({ name }) => name)).size, OPTIONS.length);
});
