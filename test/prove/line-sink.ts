import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** One call to the sink: which line it came by, which of its messages, and from when to when. */
export interface Visit {
  readonly line: string;
  readonly number: number;
  readonly kind: "message" | "callback";
  readonly startedAt: number;
  /** When it was answered, or when its sender was gone; null while it lasts. */
  endedAt: number | null;
  readonly good: boolean;
}

/** Takes a while over each call of `/<kind>/<line>/<number>/<failures>`, and remembers it. */
export class LineSink {
  readonly visits: Visit[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const [, kind, line = "", number, failures] = (request.url ?? "").split("/");
      const good = Number(request.headers["svc-retried"]) >= Number(failures);
      const visit: Visit = {
        line,
        number: Number(number),
        kind: kind === "callback" ? "callback" : "message",
        startedAt: performance.now(),
        endedAt: null,
        good,
      };
      this.visits.push(visit);
      request.resume();
      response.once("close", () => (visit.endedAt ??= performance.now()));
      setTimeout(
        () => {
          visit.endedAt ??= performance.now();
          response.writeHead(good ? 200 : 500, { "content-length": "0" }).end();
        },
        5 + Math.random() * 30,
      );
    });
  }

  static async start(): Promise<LineSink> {
    const sink = new LineSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, "127.0.0.1", resolve));
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
