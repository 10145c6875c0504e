/** A process without an open file left waits for one, before it gives an attempt up. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { withFewFiles } from "../support/few-files.ts";
import { listenFor } from "../support/listening.ts";

const PROGRAM = fileURLToPath(new URL("./dial-without-files.ts", import.meta.url));

test("a connection is made once a file is free", async (t) => {
  assert.equal(await dialWithoutFiles(t, 10_000, "yes"), "connected");
});

test("when none comes free in time, the attempt says why", async (t) => {
  assert.match(await dialWithoutFiles(t, 400, "no"), /no open file left .*ulimit -n/);
});

async function dialWithoutFiles(t: TestContext, timeoutMs: number, givesBack: "yes" | "no") {
  const port = await listenFor(t, createServer());
  const program = [process.execPath, PROGRAM, `${port}`, `${timeoutMs}`, givesBack];
  const { stdout } = await promisify(execFile)(...withFewFiles(100, program));
  return stdout.trim();
}
