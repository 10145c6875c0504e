import { createServer, type Socket } from "node:net";

/**
 * What an endpoint of the benchmark knows of its runs: how long after one step the next one began,
 * and which of them have ended. It tells the load of every end over a socket, a run id to a line.
 */
export class StepClock {
  readonly #lastStepAt = new Map<string, number>();
  readonly #returned = new Set<string>();
  readonly #listeners = new Set<Socket>();
  #gapsMs: number[] = [];

  /** A step of a run is done now; steps take no time of their own. */
  step(runId: string): void {
    const now = performance.now();
    const before = this.#lastStepAt.get(runId);
    if (before !== undefined) this.#gapsMs.push(now - before);
    this.#lastStepAt.set(runId, now);
  }

  /** The function of a run has returned; the service has not been told yet. */
  returned(runId: string): void {
    this.#lastStepAt.delete(runId);
    this.#returned.add(runId);
  }

  /** A delivery is answered: if its function had returned, the end of its run is stored by now. */
  answered(runId: string): void {
    if (!this.#returned.delete(runId)) return;
    for (const socket of this.#listeners) socket.write(`${runId}\n`);
  }

  /** Gaps since the last call. */
  takeGaps(): { p50Ms: number; p99Ms: number } {
    const sorted = this.#gapsMs.toSorted((left, right) => left - right);
    this.#gapsMs = [];
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99) };
  }

  /** Prints where the endpoint and its news are, then answers each line of input with the gaps. */
  async report(port: number): Promise<void> {
    const server = createServer({ noDelay: true }, (socket) => {
      this.#listeners.add(socket);
      socket.on("close", () => this.#listeners.delete(socket));
      socket.on("error", () => socket.destroy());
    });
    const newsPort = await new Promise<number>((resolve, reject) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        if (address === null || typeof address === "string") reject(new Error("no port for news"));
        else resolve(address.port);
      });
    });
    process.stdout.write(`${JSON.stringify({ port, newsPort } satisfies EndpointPorts)}\n`);
    process.stdin.on("data", () => process.stdout.write(`${JSON.stringify(this.takeGaps())}\n`));
    process.stdin.on("end", () => process.exit(0));
  }
}

export interface EndpointPorts {
  readonly port: number;
  readonly newsPort: number;
}

export const STEP_NAMES = ["reserve", "charge", "pack", "ship", "thank"] as const;
