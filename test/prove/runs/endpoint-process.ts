import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { call, TOKEN } from "../service-process.ts";
import type { EndpointSettings, Witness } from "./witness.ts";

const MAIN = new URL("endpoint.ts", import.meta.url).pathname;

/** The application in a process of its own, which outlives every node. */
export class EndpointProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  static async start(nodeUrls: readonly string[]): Promise<EndpointProcess> {
    const answer = await call(nodeUrls[0]!, "GET", "/v2/keys");
    const { current, next } = (await answer.json()) as { current: string; next: string };
    const settings: EndpointSettings = {
      nodeUrls,
      token: TOKEN,
      currentSigningKey: current,
      nextSigningKey: next,
    };
    // What its SDKs say of nodes that are gone is of no use here.
    const child = spawn(process.execPath, [...process.execArgv, MAIN, JSON.stringify(settings)], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [url] = (await once(child.stdout, "data")) as [Buffer];
    child.stdout.resume();
    return new EndpointProcess(child, url.toString().trim());
  }

  async witness(): Promise<Witness> {
    const answer = await fetch(`${this.url}/witness`);
    return (await answer.json()) as Witness;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
