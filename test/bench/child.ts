import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";

/** A process of the benchmark, spoken to by lines. */
export class Child {
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(process.execPath, [...process.execArgv, file, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.pid = this.#process.pid ?? 0;
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

export const besides = (name: string): string => new URL(name, import.meta.url).pathname;
