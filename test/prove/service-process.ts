import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export const TOKEN = Buffer.from(
  JSON.stringify({ UserID: "prove", Password: "prove-password" }),
).toString("base64");

const MAIN = new URL("../../src/cli/main.ts", import.meta.url).pathname;
const READY_MS_MAX = 60_000;

/** One process of the service, as an operator would start it; it can be killed and started again. */
export class ServiceProcess {
  readonly port: number;
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;
  #output = "";

  constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.#args = args;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  get pid(): number {
    return this.#child?.pid ?? 0;
  }
  get output(): string {
    return this.#output;
  }

  async start(): Promise<void> {
    const fixed = ["serve", "--host", "127.0.0.1", "--port", String(this.port), "--log", "json"];
    const child = spawn(
      process.execPath,
      [...process.execArgv, MAIN, ...fixed, "--egress-allow", "127.0.0.1/32", ...this.#args],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, POSTRIDER_TOKEN: TOKEN } },
    );
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    this.#child = child;
    await this.#ready(child);
  }

  async kill(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return child?.exitCode ?? null;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
    return child.exitCode;
  }

  async #ready(child: ChildProcess): Promise<void> {
    const until = performance.now() + READY_MS_MAX;
    while (performance.now() < until) {
      if (child.exitCode !== null) throw new Error(`the service ended:\n${this.#output}`);
      const answer = await fetch(`${this.url}/readyz`).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`the service did not become ready:\n${this.#output}`);
  }
}

/** Calls the API with the token of the proofs. */
export function call(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> {
  return fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
}
