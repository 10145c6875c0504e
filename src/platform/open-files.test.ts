import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withFewFiles } from "../../test/support/few-files.ts";

const MODULE = fileURLToPath(new URL("./open-files.ts", import.meta.url));

test("a process knows how many files it may open", () => {
  const program = `console.log((await import(${JSON.stringify(MODULE)})).openFilesMax())`;
  const node = [process.execPath, "--input-type=module", "--eval", program];
  const printed = execFileSync(...withFewFiles(345, node), { encoding: "utf8" });
  assert.equal(printed.trim(), "345");
});
