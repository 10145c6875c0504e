import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { type AddressInfo, Server as SocketServer, type Socket } from "node:net";
import { Problem, type ProblemKind } from "../../../core/problem.ts";
import type { Clock } from "../../../platform/clock.ts";
import { endsWithin } from "../../../platform/ends-within.ts";
import { quietTurn } from "../../../platform/turn.ts";
import { HEADERS_MAX } from "../../../wire/headers/header-object.ts";
import { type Answer, headersOf } from "../answers/answer.ts";
import type { Api, Route } from "./call.ts";
import { Connection } from "./connection.ts";
import { handle, refuseRequest } from "./handle.ts";
import { refusalAnswer } from "../answers/problem-answer.ts";
import { notAPath } from "./request-target.ts";
import { createRouter } from "./router.ts";

/** How long the head of a request may take, and how often that is checked. */
export interface HeadTimes {
  readonly headMsMax: number;
  readonly checkEveryMs: number;
}

export const HEAD_TIMES: HeadTimes = { headMsMax: 15_000, checkEveryMs: 5_000 };

/** Accepts connections, and finishes the requests in progress when it closes. */
export class ApiServer {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #disconnected = Promise.withResolvers<void>();
  #accepted = 0;
  #underWay = 0;
  #emptied: (() => void) | null = null;

  constructor(api: Api, routes: readonly Route[], times: HeadTimes = HEAD_TIMES) {
    const router = createRouter(routes);
    const server = createServer({
      ...SERVER_OPTIONS,
      headersTimeout: times.headMsMax,
      connectionsCheckingInterval: times.checkEveryMs,
    });
    // One more tells that there are too many. Node would read any number, and keep them.
    server.maxHeadersCount = HEADERS_MAX + 1;
    answerHalfOpen(server);
    server.maxConnections = api.connections.inAllMax + api.connections.refusedMax;
    const connections = new WeakMap<Socket, Connection>();
    const answer = (
      request: IncomingMessage,
      response: ServerResponse,
      onStartOfBody: (() => void) | null,
    ): void => {
      const verdict = connections.get(request.socket)?.begin(response);
      if (verdict === "ignored") return;
      this.#underWay += 1;
      const answered =
        verdict === "refused"
          ? refuseRequest(api, request, response)
          : handle(api, router, request, response, onStartOfBody);
      void answered.finally(() => this.#end());
    };
    server.on("request", (request, response) => answer(request, response, null));
    server.on("checkContinue", (request, response) => {
      answer(request, response, () => response.writeContinue());
    });
    // Any other expectation is refused like the rest of a head, with the name of the field.
    server.on("checkExpectation", (request, response) => answer(request, response, null));
    server.on("connect", (_request, socket: Socket) => {
      // Node gives the socket away, without its own listener: an error would end the process.
      socket.on("error", () => undefined);
      refuse(api.clock, TUNNEL, socket, connections.get(socket)!);
    });
    server.on("connection", (socket: Socket) => {
      this.#accepted += 1;
      const connection = new Connection(socket);
      connections.set(socket, connection);
      const disconnected = api.connections.connected(socket.remoteAddress);
      if (!(disconnected instanceof Problem)) return socket.once("close", disconnected);
      connection.refuse();
      return refuseConnection(api.clock, socket, disconnected);
    });
    server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === "ECONNRESET") return void socket.destroy();
      const refused = REFUSALS[error.code ?? ""] ?? NOT_HTTP;
      refuse(api.clock, refused, socket, connections.get(socket)!);
    });
    this.#server = server;
    this.#clock = api.clock;
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
      this.#server.listen({ port, host, backlog: BACKLOG }, () => {
        this.#server.off("error", reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Accepts no more connections; the open ones may still bring requests. */
  async stopListening(): Promise<void> {
    // The system resets connections that it has accepted and the server, which takes one in each turn, has not. In a
    // turn without one the request on the last is read too, so that a drain does not take its connection for idle.
    await quietTurn(this.#clock, () => this.#accepted);
    // An HTTP server would close its idle connections too.
    SocketServer.prototype.close.call(this.#server, () => this.#disconnected.resolve());
  }

  /**
   * Resolves when every request in progress is answered. For `keptMs` open connections may bring
   * more requests: a connection that is closed while a request is on its way loses that request.
   */
  async drain(keptMs: number): Promise<void> {
    if (keptMs > 0) await endsWithin(this.#clock, keptMs, this.#disconnected.promise);
    // It closes idle connections too.
    this.#server.close();
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

  #end(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#emptied?.();
  }
}

/**
 * A client may close its side after its last request, and read the answers. Its connection ends with the last of them.
 * The types of Node do not list this property of its server.
 */
function answerHalfOpen(server: Server & { httpAllowHalfOpen?: boolean }): void {
  server.httpAllowHalfOpen = true;
}

/**
 * Bytes that are not HTTP, or come too slowly, and CONNECT get one fixed response and the end of the
 * connection, after the answers to the requests before them.
 */
function refuse(clock: Clock, answer: Answer, socket: Socket, connection: Connection): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  // Node stores the response in progress here, and its own handler reads it too.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  const busy = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
  // A response in progress is sent as far as it goes, and no other follows it.
  if (busy?.headersSent === true && !busy.writableEnded) {
    socket.destroySoon();
    endSoon(clock, socket);
    return;
  }
  connection.endAfterAnswers(() => {
    if (!socket.writable) return;
    socket.end(refusalText(answer));
    endSoon(clock, socket);
  });
}

/**
 * Tells a connection too many why it is refused. What it has sent is read first: the end of a
 * connection with unread bytes is a reset, in which the response may be lost.
 */
function refuseConnection(clock: Clock, socket: Socket, problem: Problem): void {
  socket.on("error", () => undefined);
  socket.end(refusalText(refusalAnswer(problem)));
  endSoon(clock, socket);
}

/** Time to read the response. A client that does not close its side would keep the connection. */
function endSoon(clock: Clock, socket: Socket): void {
  socket.once(
    "close",
    clock.after(REFUSED_MS_MAX, () => socket.destroy()),
  );
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
const TUNNEL = refusalAnswer(notAPath());
const REFUSALS: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: refusal(
    "headers-too-large",
    `the head of the request is too large, or has more than ${HEADERS_MAX} headers`,
  ),
  ERR_HTTP_REQUEST_TIMEOUT: refusal("request-timeout", "the request did not arrive in time"),
};

/**
 * Node's limit on a whole request is off, since a large body may come slowly; the upload watch ends
 * uploads that stall.
 */
const SERVER_OPTIONS = {
  maxHeaderSize: 64 * 1024,
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  requireHostHeader: false,
  noDelay: true,
};
/** Connections that wait to be accepted. The system may allow fewer, and then the others try again. */
const BACKLOG = 16_384;
const REFUSED_MS_MAX = 2_000;
