import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface Receipt {
  readonly messageId: string;
  readonly at: number;
  readonly good: boolean;
}

/**
 * A destination whose behaviour is in the path, so that it needs no memory of its own: `/ok`,
 * `/fail/2` fails the first two attempts of each message, `/dead` fails always.
 */
export class RecordingSink {
  readonly receipts: Receipt[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<RecordingSink> {
    const server = createServer();
    const sink = new RecordingSink(server);
    server.on("request", (request, response) => {
      request.resume();
      request.on("end", () => {
        const messageId = String(request.headers["svc-message-id"]);
        const retried = Number(request.headers["svc-retried"]);
        const status = statusFor(request.url ?? "/", retried);
        sink.receipts.push({ messageId, at: performance.now(), good: status === 200 });
        response.writeHead(status, { "content-length": "0" }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
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

function statusFor(path: string, retried: number): number {
  if (path.startsWith("/dead")) return 500;
  const failures = Number(/^\/fail\/(\d+)/.exec(path)?.[1] ?? 0);
  return retried < failures ? 500 : 200;
}
