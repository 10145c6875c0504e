/** One connection to a destination. It carries one request at a time. */

import type { Socket } from "node:net";
import type { HeaderList } from "../../core/model/message/message.ts";
import { AnswerParser, type AnswerReceiver } from "./answer-parser.ts";
import type { CarryingConnection, OutboundExchange, OutboundRequest } from "./outbound-exchange.ts";
import type { Inlet } from "./dial.ts";
import { CLOSED_EARLY, DeliveryError, NOT_HTTP } from "./network-error.ts";

export interface ConnectionOwner {
  readonly host: string;
  /** The connection has carried its exchange and may be idle for this long. */
  onFree(connection: Connection, idleMs: number): void;
  onClosed(connection: Connection): void;
}

export class Connection implements CarryingConnection, AnswerReceiver, Inlet {
  /** Monotonic milliseconds; set by the pool while the connection is idle. */
  idleUntil = 0;
  readonly #owner: ConnectionOwner;
  readonly #parser: AnswerParser = new AnswerParser(this);
  #socket: Socket | null = null;
  #exchange: OutboundExchange | null = null;
  #isClosed = false;
  #isPaused = false;
  /** What arrived before a pause and was not read. */
  #unread: Buffer | null = null;
  #isAnswered = false;

  constructor(owner: ConnectionOwner) {
    this.#owner = owner;
  }

  /** From here on the socket belongs to this connection. */
  open(socket: Socket): void {
    this.#socket = socket;
    socket.on("error", (error) => this.#fail(error));
    socket.on("end", () => this.#onFinish());
    socket.on("close", () => this.#fail(new DeliveryError(CLOSED_EARLY)));
  }

  carry(exchange: OutboundExchange): void {
    const socket = this.#socket!;
    const { request } = exchange;
    this.#exchange = exchange;
    this.#isAnswered = false;
    this.#parser.expect(request.method);
    const head = requestHead(request, this.#owner.host);
    if (request.body === null) socket.write(head, "latin1");
    else writeWhole(socket, head, request.body);
    exchange.onStart(this);
  }

  /** Closes the socket; an exchange under way has no answer. */
  close(error: Error): void {
    this.#fail(error);
  }

  receive(bytes: Buffer): boolean {
    if (this.#isClosed) return false;
    // No request is under way that these bytes could answer.
    if (this.#exchange === null) this.#fail(new DeliveryError(NOT_HTTP));
    else if (this.#isPaused) this.#unread = Buffer.concat([this.#unread ?? EMPTY, bytes]);
    else this.#read(bytes);
    return !this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket!.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    const unread = this.#unread ?? EMPTY;
    this.#unread = null;
    this.#read(unread);
    // What was read may have paused it again, or closed it.
    if (!this.#isPaused && !this.#isClosed) this.#socket!.resume();
  }

  abort(): void {
    this.#exchange = null;
    this.#fail(null);
  }

  onHead(status: number, headers: HeaderList, bodyBytes: number): void {
    this.#exchange?.onHead(status, headers, bodyBytes);
  }

  onData(bytes: Buffer): boolean {
    this.#exchange?.onData(bytes);
    return !this.#isPaused && !this.#isClosed;
  }

  onEnd(): void {
    this.#isAnswered = true;
  }

  #read(bytes: Buffer): void {
    let used;
    try {
      used = this.#parser.read(bytes);
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#isAnswered) this.#finish(used === bytes.length);
    else if (this.#isPaused) this.#unread = Buffer.from(bytes.subarray(used));
  }

  /** The answer is complete. */
  #finish(isClean: boolean): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    const idleMs = this.#parser.keepAliveMs;
    const isUsable =
      isClean &&
      idleMs > 0 &&
      this.#socket!.writableLength === 0 &&
      exchange !== null &&
      mayFollow(exchange.request);
    if (!isUsable) this.#fail(null);
    exchange?.onEnd();
    if (isUsable && !this.#isClosed) this.#owner.onFree(this, idleMs);
  }

  /** The other side has closed its half. */
  #onFinish(): void {
    if (this.#exchange !== null && this.#parser.finish()) this.#finish(false);
    else this.#fail(new DeliveryError(CLOSED_EARLY));
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#unread = null;
    this.#socket?.destroy();
    this.#owner.onClosed(this);
    exchange?.onFailure(error);
  }
}

/** A small body goes out with the head, in one piece. */
function writeWhole(socket: Socket, head: string, body: Uint8Array): void {
  if (body.length > SMALL_BYTES) {
    socket.cork();
    socket.write(head, "latin1");
    socket.write(body);
    socket.uncork();
    return;
  }
  const piece = Buffer.allocUnsafe(head.length + body.length);
  piece.write(head, "latin1");
  piece.set(body, head.length);
  socket.write(piece);
}

/** The head of a request as it is sent, in Latin-1. The headers were checked before. */
export function requestHead(request: OutboundRequest, host: string): string {
  const { method, path, headers, body } = request;
  const connection = mayFollow(request) ? "keep-alive" : "close";
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n`;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  const length = body === null ? 0 : body.length;
  return length > 0 || USUALLY_WITH_BODY.has(method)
    ? `${head}content-length: ${length}\r\n\r\n`
    : `${head}\r\n`;
}

/**
 * Whether another request may follow on the connection. Some servers leave the body of a GET or
 * DELETE unread, and would take it for the next request; some answer a HEAD with a body.
 */
export function mayFollow({ method, body }: OutboundRequest): boolean {
  return USUALLY_WITH_BODY.has(method) || (body === null && method !== "HEAD");
}

/** Without a length some servers wait for a body of these. */
const USUALLY_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const EMPTY = Buffer.alloc(0);
const SMALL_BYTES = 16 * 1024;
