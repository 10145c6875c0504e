import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Problem, type ProblemKind } from "../../core/problem.ts";
import type { Clock } from "../../platform/clock.ts";
import { type Answer, headersOf } from "./answer.ts";
import type { Api, Route } from "./call.ts";
import { handle } from "./handle.ts";
import { refusalAnswer } from "./problem-answer.ts";
import { createRouter } from "./router.ts";

/** Accepts connections, and finishes the requests in progress when it closes. */
export class ApiServer {
  readonly #server: Server;
  #underWay = 0;
  #emptied: (() => void) | null = null;

  constructor(api: Api, routes: readonly Route[]) {
    const router = createRouter(routes);
    const server = createServer(SERVER_OPTIONS);
    server.maxHeadersCount = 0;
    server.maxConnections = api.connections.inAllMax + REFUSED_MAX;
    server.on("request", (request, response) => {
      this.#begin();
      void handle(api, router, request, response, null).finally(() => this.#end());
    });
    server.on("checkContinue", (request, response) => {
      this.#begin();
      const goOn = (): void => response.writeContinue();
      void handle(api, router, request, response, goOn).finally(() => this.#end());
    });
    server.on("connection", (socket: Socket) => {
      const disconnected = api.connections.connected(socket.remoteAddress);
      if (disconnected instanceof Problem) refuseAtOnce(socket, disconnected);
      else socket.once("close", disconnected);
    });
    server.on("clientError", (error, socket) => refuse(api.clock, error, socket as Socket));
    this.#server = server;
  }

  /** Listens on the first free one of `tries` ports, and returns it; with 0 the system chooses. */
  async listen(port: number, host: string, tries: number): Promise<number> {
    for (let next = port; ; next++) {
      try {
        return await this.#listen(next, host);
      } catch (error) {
        const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
        if (!isTaken || next - port + 1 >= tries) throw error;
      }
    }
  }

  #listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Accepts nothing more, and resolves when every request in progress is answered. */
  async drain(): Promise<void> {
    this.#server.close();
    this.#server.closeIdleConnections();
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#emptied = resolve;
    });
  }

  /** Ends every connection, whatever is on it. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #begin(): void {
    this.#underWay += 1;
  }

  #end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#emptied?.();
  }
}

/**
 * Bytes that are not HTTP, or come too slowly, get one fixed response and the end of the
 * connection.
 */
function refuse(clock: Clock, error: Error & { code?: string }, socket: Socket): void {
  // Node stores the response in progress here, and its own handler reads it too.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  const busy = (socket as Socket & { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  // A response in progress is sent as far as it goes, and no other follows it.
  if (busy?.headersSent === true) socket.destroySoon();
  else socket.end(refusalText(REFUSALS[error.code ?? ""] ?? NOT_HTTP));
  // Time to read the response. A client that does not close its side would keep the connection.
  socket.once(
    "close",
    clock.after(REFUSED_MS_MAX, () => socket.destroy()),
  );
}

/** A refused connection takes no time: it ends with its response, read or not. */
function refuseAtOnce(socket: Socket, problem: Problem): void {
  socket.on("error", () => undefined);
  socket.write(refusalText(refusalAnswer(problem)));
  socket.destroySoon();
}

function refusalText(answer: Answer): string {
  const body = typeof answer.body === "string" ? answer.body : "";
  const headers = [...headersOf(answer), "Connection", "close"];
  const lines = headers.flatMap((text, index) =>
    index % 2 === 0 ? [] : [`${headers[index - 1]}: ${text}`],
  );
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
}

function refusal(kind: ProblemKind, sentence: string): Answer {
  return refusalAnswer(new Problem(kind, sentence));
}

const NOT_HTTP = refusal("invalid-request", "the request is not valid HTTP/1.1");
const REFUSALS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: refusal("headers-too-large", "the head of the request is too large"),
  ERR_HTTP_REQUEST_TIMEOUT: refusal("request-timeout", "the request did not arrive in time"),
};

/**
 * Node's limit on a whole request is off, since a large body may come slowly; the upload watch ends
 * uploads that stall.
 */
const SERVER_OPTIONS = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 15_000,
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
  noDelay: true,
};
/** Connections that are told why they are refused; more than these at once are closed without a word. */
const REFUSED_MAX = 16;
const REFUSED_MS_MAX = 2_000;
