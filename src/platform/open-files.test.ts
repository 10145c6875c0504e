import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const MODULE = fileURLToPath(new URL("./open-files.ts", import.meta.url));

test("a process knows how many files it may open", () => {
  const program = `console.log((await import(${JSON.stringify(MODULE)})).openFilesMax())`;
  const node = [process.execPath, "--input-type=module", "--eval", program];
  const limited = ["-c", 'ulimit -n 345 && exec "$@"', "sh", ...node];
  assert.equal(execFileSync("/bin/sh", limited, { encoding: "utf8" }).trim(), "345");
});
