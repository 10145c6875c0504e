/** A server that nobody reads or watches goes on. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { PROGRAM } from "../support/program.ts";
import { Terminal } from "../support/terminal.ts";

test("dev goes on when nobody reads its output any more", async (t) => {
  const folder = freshFolder(t);
  const port = String(await freePort());
  const child = spawn(process.execPath, [PROGRAM, "dev", "--port", port], { cwd: folder });
  t.after(() => child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  await until(() => output.includes("POSTRIDER_NEXT_SIGNING_KEY"), "the server is ready");
  child.stdout.destroy();
  child.stderr.destroy();
  const terminal = new Terminal(folder);
  for (const path of ["one", "two", "three"]) {
    await terminal.run(["publish", `http://127.0.0.1:${port}/echo/${path}`, "--wait"]);
  }
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("dev in the background of a terminal goes on", async (t) => {
  const folder = freshFolder(t);
  const port = String(await freePort());
  const dev = `'${process.execPath}' '${PROGRAM}' dev --port ${port}`;
  const line = `bash -mc "${dev} & echo process \\$!; wait"`;
  const screen = spawn("script", ["-qfec", line, "/dev/null"], { cwd: folder });
  let output = "";
  screen.stdout.on("data", (chunk) => (output += String(chunk)));
  t.after(() => {
    const [, id] = /process (\d+)/.exec(output) ?? [];
    if (id !== undefined) process.kill(Number(id), "SIGKILL");
    screen.kill("SIGKILL");
  });
  await until(() => output.includes("POSTRIDER_NEXT_SIGNING_KEY"), "the server is ready");
  await new Terminal(folder).run(["publish", `http://127.0.0.1:${port}/echo/hello`, "--wait"]);
  assert.ok(!output.includes("Waiting for messages"));
});
