/** A reverse proxy that calls an application by a host of its own choice, as many do. */
import { createServer, request as send, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface RewritingProxyOptions {
  /** Where calls go; the path of this URL is put before theirs. */
  readonly target: string;
  /** Whether the application is told which host was called. */
  readonly tellsHost: boolean;
}

export class RewritingProxy {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start({ target, tellsHost }: RewritingProxyOptions): Promise<RewritingProxy> {
    const { hostname, port, host, pathname } = new URL(target);
    const prefix = pathname === "/" ? "" : pathname;
    const server = createServer((incoming, response) => {
      const told = tellsHost ? { "x-forwarded-host": incoming.headers.host } : {};
      const outgoing = send({
        hostname,
        port,
        method: incoming.method,
        path: `${prefix}${incoming.url}`,
        headers: { ...incoming.headers, ...told, host },
      });
      outgoing.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on("error", () => response.destroy());
      incoming.pipe(outgoing);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new RewritingProxy(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
