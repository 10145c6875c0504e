/** The command line, run as a process of its own. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { withFewFiles } from "./few-files.ts";
import { PROGRAM } from "./program.ts";
import type { Scope } from "./scope.ts";
import { userEnvironment } from "./user-environment.ts";

export class Command {
  readonly #child: ChildProcess;
  readonly #ended: Promise<[number | null, NodeJS.Signals | null]>;
  #output = "";
  #errors = "";
  #onOutput: (() => void)[] = [];

  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    openFilesMax?: number,
    program = PROGRAM,
  ) {
    const own = [program, ...args];
    const [file, given] =
      openFilesMax === undefined
        ? [process.execPath, own]
        : withFewFiles(openFilesMax, [process.execPath, ...own]);
    this.#child = spawn(file, given, {
      env: { ...userEnvironment(), NO_COLOR: "1", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk) => this.#hear((this.#output += String(chunk))));
    this.#child.stderr?.on("data", (chunk) => this.#hear((this.#errors += String(chunk))));
    this.#ended = once(this.#child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    void this.#ended.then(() => this.#hear(""));
  }

  /** A service on a free port of this machine, which is gone when the test is over, however that ends. */
  static serve(
    scope: Scope,
    flags: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    mode: "serve" | "dev" = "serve",
    openFilesMax?: number,
  ): Command {
    const command = new Command([mode, ...LISTENING, ...flags], environment, openFilesMax);
    scope.after(async () => {
      command.signal("SIGKILL");
      await command.ends();
    });
    return command;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
  get output(): string {
    return this.#output;
  }
  get errors(): string {
    return this.#errors;
  }

  /** The first match in what it writes, to either side. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const giveUp = AbortSignal.timeout(PATIENCE_MS);
    giveUp.addEventListener("abort", () => this.#hear(""));
    for (;;) {
      const match = pattern.exec(this.#output + this.#errors);
      if (match !== null) return match;
      if (this.hasEnded || giveUp.aborted) {
        throw new Error(`never said ${pattern}: ${this.#output}${this.#errors}`);
      }
      await new Promise<void>((resolve) => this.#onOutput.push(resolve));
    }
  }

  /** Where it serves, once it does. */
  async url(): Promise<string> {
    return (await this.says(/"url":"([^"]+)"/))[1]!;
  }

  /** Lets it come up, and stops it again. */
  async stopWhenReady(): Promise<void> {
    await this.says(/"ready"/);
    await this.stop();
  }

  /** Asks it to stop; anything but a clean end fails the test. */
  async stop(): Promise<void> {
    this.signal("SIGTERM");
    assert.equal(await this.ends(), 0, this.errors);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Its exit code, once it has ended; the signal's name when one ended it. */
  async ends(): Promise<number | NodeJS.Signals | null> {
    const [code, signal] = await this.#ended;
    return code ?? signal;
  }

  /** Its exit code when it refuses to start; the test fails at once when it comes up. */
  async refuses(): Promise<number | NodeJS.Signals | null> {
    const comesUp = this.says(/"ready"/).then(
      () => true,
      () => false,
    );
    if (await Promise.race([this.#ended.then(() => false), comesUp])) {
      this.signal("SIGKILL");
      assert.fail(`it started: ${this.#output}`);
    }
    return this.ends();
  }

  #hear(_text: string): void {
    for (const resolve of this.#onOutput.splice(0)) resolve();
  }
}

export const LISTENING = ["--host", "127.0.0.1", "--port", "0", "--log", "json", "--drain", "0s"];
const PATIENCE_MS = 60_000;
