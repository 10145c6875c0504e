import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freshFolder } from "./fresh-folder.ts";

const SEVERAL = fileURLToPath(new URL("./several-test-files.ts", import.meta.url));

/** A file whose tests use what stands before and behind them all, and whose end takes a while. */
const file = (name: string): string => `
import { after, before, test } from "node:test";
let isOpen = false;
before(async () => {
  isOpen = true;
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log("${name} uses what is " + (isOpen ? "open" : "closed"));
});
after(async () => {
  isOpen = false;
  await new Promise((resolve) => setTimeout(resolve, 200));
  console.log("${name} has ended");
});
test("in ${name}", () => {});
`;

test("a file ends before the next one begins", async (t) => {
  const folder = freshFolder(t);
  const names = ["one", "two", "three"];
  const files = names.map((name) => join(folder, `${name}.test.ts`));
  for (const [index, path] of files.entries()) writeFileSync(path, file(names[index]!));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, [SEVERAL, ...files], { env });
  const said = stdout.split("\n").filter((line) => /(uses|ended)/.test(line));
  const expected = names.flatMap((name) => [`${name} uses what is open`, `${name} has ended`]);
  assert.deepEqual(said, expected);
});
