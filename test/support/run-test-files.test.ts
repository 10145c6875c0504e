import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "./eventually.ts";
import { freshFolder } from "./fresh-folder.ts";

/** A test that starts a server, which starts another, and never ends. */
const HANGS = `
import { spawn } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { test } from "node:test";
const WAITS = "setInterval(() => {}, 1000);";
const STARTS = \`
  const { spawn } = require("node:child_process");
  const { pid } = spawn(process.execPath, ["-e", process.argv[1]], { detached: true, stdio: "ignore" });
  console.log(pid);
\`;
test("hangs", async () => {
  const child = spawn(process.execPath, ["-e", STARTS + WAITS, WAITS]);
  child.stdout.on("data", (pid) => {
    writeFileSync(process.env.STARTED + ".draft", child.pid + " " + pid);
    renameSync(process.env.STARTED + ".draft", process.env.STARTED);
  });
  await new Promise(() => setInterval(() => {}, 1000));
});
`;

const RUNNER = `
import { runTestFiles } from "${new URL("./run-test-files.ts", import.meta.url).href}";
const stopping = new AbortController();
process.once("message", () => stopping.abort());
const reports = [];
await runTestFiles([process.env.HANGING], {
  timeoutMs: 60_000,
  signal: stopping.signal,
  onReport: ({ failures }) => reports.push(...failures.map(({ detail }) => detail)),
});
process.send(reports);
process.disconnect();
`;

const skip = process.platform === "linux" ? false : "only Linux tells who started a process";

test("what a stopped test has started ends with it", { skip }, async (t) => {
  const folder = freshFolder(t);
  const hanging = join(folder, "hangs.test.ts");
  const started = join(folder, "started");
  writeFileSync(hanging, HANGS);
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  writeFileSync(join(folder, "runner.ts"), RUNNER);
  const runner = spawn(process.execPath, [join(folder, "runner.ts")], {
    env: { ...environment, HANGING: hanging, STARTED: started },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  t.after(() => runner.kill("SIGKILL"));
  await until(() => existsSync(started), "the test has started both");
  const pids = readFileSync(started, "utf8").split(" ").map(Number);
  t.after(() => pids.filter(isAlive).forEach((pid) => process.kill(pid, "SIGKILL")));
  assert.equal(pids.length, 2);
  assert.ok(pids.every(isAlive));
  runner.send("stop");
  const [failures] = (await once(runner, "message")) as [string[]];
  assert.ok(failures.length > 0);
  await until(() => !pids.some(isAlive), "both have ended");
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
