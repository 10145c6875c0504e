import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withFewFiles } from "../../test/support/few-files.ts";

const MODULE = fileURLToPath(new URL("./open-files.ts", import.meta.url));

for (const [where, flags] of [
  ["on Linux", []],
  ["where /proc cannot be read", ["--permission", `--allow-fs-read=${dirname(MODULE)}/*`]],
] as const) {
  test(`a process knows how many files it may open, ${where}`, () => {
    const program = `console.log((await import(${JSON.stringify(MODULE)})).openFilesMax())`;
    const node = [process.execPath, ...flags, "--input-type=module", "--eval", program];
    const printed = execFileSync(...withFewFiles(345, node), { encoding: "utf8" });
    assert.equal(printed.trim(), "345");
  });
}
