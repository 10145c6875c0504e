import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { encodeToken } from "../../src/platform/token.ts";
import { steadyPort } from "../support/free-port.ts";
import { PROGRAM, SOURCE } from "../support/program.ts";

/** Names its account, which is where webhooks are found. */
export const TOKEN = encodeToken("prove", "prove-password");

const READY_MS_MAX = 60_000;

/** The process that ends takes them along. */
const living = new Set<ChildProcess>();
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    for (const child of living) child.kill("SIGKILL");
    process.exit(1);
  });
}

/** What is to be otherwise than an operator would have it. */
export interface Unusual {
  /** Modules that are loaded into each of its threads before the service. */
  readonly preload?: readonly string[];
  /** They change modules of the source, which the joined program has no more. */
  readonly isOnSource?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Nodes on one PostgreSQL, not yet started. They run the programs in turn, and begin with one after the other. */
export async function nodesOn(
  databaseUrl: string,
  count: number,
  programs: readonly string[] = [PROGRAM],
): Promise<ServiceProcess[]> {
  const args = ["--database-url", databaseUrl, "--secret-key", "the-secret-key-of-the-proofs-0123"];
  const nodes: ServiceProcess[] = [];
  while (nodes.length < count) {
    const at = nodes.length % programs.length;
    const inTurn = [...programs.slice(at), ...programs.slice(0, at)];
    nodes.push(new ServiceProcess(await steadyPort(), args, inTurn));
  }
  return nodes;
}

/** One process of the service, as an operator would start it; it can be killed and started again. */
export class ServiceProcess {
  readonly port: number;
  readonly #args: readonly string[];
  readonly #programs: readonly string[];
  #starts = 0;
  #child: ChildProcess | null = null;
  #output = "";

  /** Each start is one of the next program. */
  constructor(port: number, args: readonly string[], programs: readonly string[] = [PROGRAM]) {
    this.port = port;
    this.#args = args;
    this.#programs = programs;
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

  async start(unusual?: Unusual): Promise<void> {
    this.launch(unusual);
    await this.#ready();
  }

  /** Starts it, and does not wait until it is ready: perhaps it never will be. */
  launch({ preload = [], isOnSource = false, environment }: Unusual = {}): void {
    const fixed = [
      "serve",
      "--host",
      "127.0.0.1",
      "--port",
      String(this.port),
      "--log",
      "json",
      "--drain",
      "0s",
    ];
    const program = this.#programs[this.#starts++ % this.#programs.length]!;
    const child = spawn(
      process.execPath,
      [
        ...process.execArgv,
        ...preload.flatMap((module) => ["--import", module]),
        isOnSource ? SOURCE : program,
        ...fixed,
        "--egress-allow",
        "127.0.0.1/32",
        ...this.#args,
      ],
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, POSTRIDER_TOKEN: TOKEN, ...environment },
      },
    );
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    this.#child = child;
    living.add(child);
    child.once("exit", () => living.delete(child));
  }

  async kill(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const dead = this.dead();
    this.#child?.kill(signal);
    await dead;
    return this.#child?.exitCode ?? null;
  }

  /** It stands still, as on a machine that sleeps, until it is woken. */
  sleep(): void {
    this.#child?.kill("SIGSTOP");
  }

  wake(): void {
    this.#child?.kill("SIGCONT");
  }

  get isAlive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves once it is dead. */
  async dead(): Promise<void> {
    if (this.isAlive) await once(this.#child!, "exit");
  }

  async #ready(): Promise<void> {
    const until = performance.now() + READY_MS_MAX;
    while (performance.now() < until) {
      if (!this.isAlive) throw new Error(`the service ended:\n${this.#output}`);
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
