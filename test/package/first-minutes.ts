/** The first minutes of a new user with the packed packages: every command as the guides write it. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { keysWork } from "../support/keys-of-dev.ts";
import type { Scope } from "../support/scope.ts";
import { userEnvironment } from "../support/user-environment.ts";
import { npmEnvironment, type NodeProgram } from "./checkout.ts";

/** In a project that has both packages; nothing else is installed or running. */
export async function firstMinutes(home: string, node: NodeProgram): Promise<void> {
  const shell = new Shell(home, node);
  try {
    const [serverPort, appPort] = [await freePort(), await freePort()];
    const serving = `npx postrider dev --port ${serverPort}`;
    let server = shell.start(serving);
    const url = `http://127.0.0.1:${serverPort}`;
    await server.says(new RegExp(`Open +${url}\\n`));
    assert.ok(server.output.startsWith("\n  Postrider "), server.text);
    await shell.run(`npx postrider publish ${url}/echo/hello --body '{"hello":"world"}' --wait`);
    await server.says(/POST \/echo\/hello +200 +\d+ ms {2}delivered/);
    // Neither the message has a body, nor its answer.
    await shell.run(`npx postrider publish '${url}/echo/empty?status=204' --wait`);
    const flaky = `${url}/echo/fail?times=2`;
    await shell.run(`npx postrider publish '${flaky}' --retry-delay 10 --body hi --wait`);
    await server.says(/retry 1 of 5 in [\s\S]*delivered at attempt 3/);

    await shell.run("npx postrider init --framework none");
    useWaitingSample(home, appPort, url);
    const app = shell.start("node --env-file=.env postrider-sample.mjs");
    await app.says(/listening/);
    const workflow = `http://localhost:${appPort}/api/workflow`;
    const trigger = `npx postrider trigger ${workflow} --body '{"user":42}' --follow`;
    const following = shell.start(trigger);
    await following.says(/… packed \(event packed-1, times out in /);
    // The server ends in the middle of the run; the next one continues it.
    await server.end();
    following.kill();
    server = shell.start(serving);
    await server.says(/POSTRIDER_NEXT_SIGNING_KEY/);
    assert.match(await shell.run("npx postrider notify packed-1"), /1 run is notified/);
    await app.says(/hello, user 42/);
    const [run] = (await shell.run("npx postrider runs --quiet")).split("\n");
    await until(
      async () => /RUN_SUCCESS/.test(await shell.run(`npx postrider show ${run}`)),
      "ends",
    );
    await shell.run(`npx postrider trigger ${workflow} --run-id without-payload`);
    const doctor = `npx postrider doctor --port ${serverPort} --min-free-disk 1MB`;
    assert.match(await shell.run(doctor), /✓ data [\s\S]*✓ database +SQLite/);
    await server.end();
    await shell.run("npx postrider reset --yes");
  } finally {
    shell.killAll();
    for (const name of [".env", "postrider-sample.mjs", ".postrider"]) {
      rmSync(join(home, name), { recursive: true, force: true });
    }
  }
}

/** The keys of `postrider dev`, in a folder of that project. */
export async function keysOfPackage(t: Scope, home: string, node: NodeProgram): Promise<void> {
  const folder = freshFolder(t, home);
  const environment = { ...userEnvironment(npmEnvironment(node)), HOME: folder };
  await keysWork(t, folder, { program: ["npx", "postrider"], environment });
}

/** The sample on another port, with a wait for an event in place of its sleep. */
function useWaitingSample(home: string, port: number, url: string): void {
  const path = join(home, "postrider-sample.mjs");
  const sample = readFileSync(path, "utf8");
  const wait = 'await context.waitForEvent("packed", "packed-1", { timeout: "2d" });';
  const changed = sample
    .replace('await context.sleep("wait", "2s");', wait)
    .replace(".listen(3000)", `.listen(${port}, () => console.log("listening"))`)
    .replaceAll("3000", String(port));
  assert.ok(changed.includes(wait) && changed.includes("listening"));
  writeFileSync(path, changed);
  const environment = join(home, ".env");
  const lines = readFileSync(environment, "utf8").replace("http://127.0.0.1:8080", url);
  writeFileSync(environment, lines);
}

/** A shell of the user; commands find the server by the folder that they are given in. */
class Shell {
  readonly #home: string;
  readonly #node: NodeProgram;
  readonly #started: Started[] = [];

  constructor(home: string, node: NodeProgram) {
    this.#home = home;
    this.#node = node;
  }

  start(line: string): Started {
    const child = spawn("sh", ["-c", `exec ${line}`], {
      cwd: this.#home,
      env: { ...userEnvironment(npmEnvironment(this.#node)), NO_COLOR: "1", HOME: this.#home },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    const started = new Started(line, child);
    this.#started.push(started);
    return started;
  }

  /** What a command prints, without what npm says beside it; anything but success fails the test. */
  async run(line: string): Promise<string> {
    const started = this.start(line);
    assert.equal(await started.ended, 0, `${line}\n${started.text}`);
    return started.output;
  }

  killAll(): void {
    for (const started of this.#started) started.kill();
  }
}

class Started {
  readonly ended: Promise<number | null>;
  text = "";
  output = "";
  readonly #line: string;
  readonly #child: ChildProcess;

  constructor(line: string, child: ChildProcess) {
    this.#line = line;
    this.#child = child;
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (chunk) => {
        this.text += String(chunk);
        child.emit("said");
      });
    }
    child.stdout!.on("data", (chunk) => (this.output += String(chunk)));
    this.ended = once(child, "close").then(([code]) => code as number | null);
  }

  async says(pattern: RegExp): Promise<void> {
    const giveUp = AbortSignal.timeout(PATIENCE_MS);
    while (!pattern.test(this.text)) {
      try {
        await once(this.#child, "said", { signal: giveUp });
      } catch {
        assert.fail(`${this.#line} never said ${pattern}: ${this.text}`);
      }
    }
  }

  /** As Ctrl-C does: for the whole group of processes. */
  async end(): Promise<void> {
    process.kill(-this.#child.pid!, "SIGINT");
    await this.ended;
  }

  kill(): void {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    try {
      process.kill(-this.#child.pid!, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

const PATIENCE_MS = 120_000;
