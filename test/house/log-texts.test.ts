/** The log messages that the production guide explains are those that the code writes. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSources, ROOT } from "./sources.ts";

test("every log message of the production guide stands in the code", () => {
  const page = readFileSync(join(ROOT, "docs/guides/production.md"), "utf8");
  const section = /^## Logs$[^]*?(?=^## )/m.exec(page)?.[0] ?? "";
  const rows = [...section.matchAll(/^\| (`[^|]*`) +\|/gm)].map(([, cell]) => cell!);
  const named = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!));
  assert.ok(named.length > 8, section);
  const code = readSources("src/**/*.ts").filter(({ path }) => !path.endsWith(".test.ts"));
  const missing = named
    .filter((text) => text !== "msg")
    .map((text) => text.replace(/ ?\.\.\.$/, ""))
    .filter((text) => !code.some((file) => file.code.includes(text)));
  assert.deepEqual(missing, []);
});
