import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism, constants, setPriority } from "node:os";
import { createInterface, type Interface } from "node:readline";

export interface ChildOptions {
  /** It runs on the last core only, where that can be said, and after all others who want it. */
  readonly isHeld?: boolean;
}

/** A process of the benchmark, spoken to by lines. */
export class Child {
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(
    file: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { isHeld = false }: ChildOptions = {},
  ) {
    const [command, ...rest] = [
      ...(isHeld && existsSync(TASKSET) ? [TASKSET, "-c", String(availableParallelism() - 1)] : []),
      process.execPath,
    ];
    this.#process = spawn(command, [...rest, ...process.execArgv, file, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.pid = this.#process.pid ?? 0;
    if (isHeld) setPriority(this.pid, constants.priority.PRIORITY_LOW);
    const lines: Interface = createInterface({ input: this.#process.stdout! });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("a process of the benchmark ended early");
    return value;
  }

  async ask(question: string): Promise<string> {
    this.#process.stdin?.write(`${question}\n`);
    return this.line();
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.stdin?.end();
    this.#process.kill("SIGTERM");
    await gone;
  }
}

const TASKSET = "/usr/bin/taskset";

export const besides = (name: string): string => new URL(name, import.meta.url).pathname;
