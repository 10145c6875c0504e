import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

export interface EndpointOrders {
  readonly port: number;
  /** Where it reaches the service. */
  readonly service: string;
  readonly token: string;
  readonly signingKeys: { readonly current: string; readonly next: string };
  /** Who answers calls, and notes the work that is done. */
  readonly outside: string;
}

/** Where it is to die. */
export interface EndpointDeath {
  /** The number of the request, counted from when it was told. */
  readonly at: number;
  readonly moment: "received" | "submitted" | "answered";
}

const PROGRAM = new URL("./endpoint-program.ts", import.meta.url).pathname;

/** The process of the workflows: an application, as far as the service knows. */
export class EndpointProcess {
  readonly #orders: EndpointOrders;
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null;
  #dead: Promise<unknown> = Promise.resolve();

  constructor(orders: EndpointOrders) {
    this.#orders = orders;
  }

  /** Where a workflow is served that was written with that SDK. */
  workflowUrl(sdk: Sdk, name: "parent" | "mended"): string {
    return `http://127.0.0.1:${this.#orders.port}/${sdk}/${name}`;
  }

  /** Resolves once it listens. */
  async start(): Promise<void> {
    this.#child = spawn(
      process.execPath,
      [...process.execArgv, PROGRAM, JSON.stringify(this.#orders)],
      // What the SDKs have to say of a service that is gone is known.
      { stdio: ["pipe", "pipe", "ignore"] },
    );
    this.#child.stdin.on("error", () => undefined);
    this.#dead = once(this.#child, "exit");
    if ((await this.#hears()) === null) throw new Error("the endpoint did not start");
  }

  /** How many requests it has had since it was told before; null when it is dead and cannot be told. */
  async tell(death: EndpointDeath | null): Promise<number | null> {
    this.#child?.stdin.write(`${JSON.stringify(death)}\n`);
    const said = await this.#hears();
    return said === null ? null : Number(said);
  }

  /** Resolves once it is dead. */
  async dead(): Promise<void> {
    await this.#dead;
  }

  async stop(): Promise<void> {
    const dead = this.dead();
    this.#child?.kill("SIGKILL");
    await dead;
  }

  /** Resolves once it has said something, or cannot any more. */
  async #hears(): Promise<string | null> {
    if (!this.#isAlive) return null;
    const said = once(this.#child!.stdout, "data").then(([chunk]) => String(chunk));
    return Promise.race([said, this.dead().then(() => null)]);
  }

  get #isAlive(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }
}

export type Sdk = "postrider" | "upstash";
export const SDKS: readonly Sdk[] = ["postrider", "upstash"];
