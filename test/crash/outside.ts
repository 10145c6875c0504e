import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface Told {
  readonly runId: string;
  readonly name?: string;
  readonly webhookUrl?: string;
}

/** Those whom a workflow calls: they answer, and remember. */
export class Outside {
  /** How often each work was done, by the run and its name. */
  readonly done = new Map<string, number>();
  /** When the group of steps side by side was begun, by the run. */
  readonly besideAt = new Map<string, number>();
  readonly webhookUrls = new Map<string, string>();
  /** What is no longer broken. */
  readonly mended = new Set<string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<Outside> {
    const outside = new Outside();
    await new Promise<void>((resolve) => {
      outside.#server.listen(0, "127.0.0.1", resolve);
    });
    return outside;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Works that were done beyond the first time. */
  get repeated(): number {
    return [...this.done.values()].reduce((sum, times) => sum + times - 1, 0);
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = this.#hear(request.url ?? "", (await json(request)) as Told);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(answer));
  }

  #hear(path: string, { runId, name = "", webhookUrl = "" }: Told): object {
    switch (path) {
      case "/did":
        this.done.set(`${runId} ${name}`, (this.done.get(`${runId} ${name}`) ?? 0) + 1);
        return {};
      case "/beside":
        if (!this.besideAt.has(runId)) this.besideAt.set(runId, performance.now());
        return { answer: "beside" };
      case "/mended":
        return { isMended: this.mended.has(runId) };
      case "/webhook":
        this.webhookUrls.set(runId, webhookUrl);
        return {};
      default:
        throw new Error(`nothing is at ${path}`);
    }
  }
}
