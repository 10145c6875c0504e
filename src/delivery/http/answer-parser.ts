/** Finds the answers in the bytes that arrive on a connection: HTTP/1.0 and HTTP/1.1, strictly. */

import type { HeaderList } from "../../core/model/message/message.ts";
import { type AnswerHead, mayBecomeHead, readHead } from "./answer-head.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { DeliveryError, NOT_HTTP, TOO_LARGE } from "./network-error.ts";

export interface AnswerReceiver {
  /**
   * Interim answers, with a status below 200, come before the answer. `bodyBytes` is 0 where its
   * head does not tell how long its body is.
   */
  onHead(status: number, headers: HeaderList, bodyBytes: number): void;
  /** The bytes are overwritten after the call. False stops the parser. */
  onData(bytes: Buffer): boolean;
  onEnd(): void;
}

/**
 * What is malformed, or could be read in two ways, is an error; it is thrown, and the connection is
 * of no use after it.
 */
export class AnswerParser {
  readonly #receiver: AnswerReceiver;
  #chunks = new ChunkedBody();
  #state: "idle" | "head" | "length" | "chunked" | "until-close" = "idle";
  #method = "";
  /** The bytes so far of a head that comes in several pieces. */
  #headStart: Buffer = EMPTY;
  #left = 0;
  #keepAliveMs = 0;

  constructor(receiver: AnswerReceiver) {
    this.#receiver = receiver;
  }

  /** How long the connection may be idle after the answer; 0 when it must be closed. */
  get keepAliveMs(): number {
    return this.#keepAliveMs;
  }

  /** The next bytes answer a request with this method. */
  expect(method: string): void {
    this.#method = method;
    this.#state = "head";
    this.#keepAliveMs = 0;
  }

  /**
   * The number of bytes read. Some are left when the receiver stopped the parser, which continues
   * with the next call, or after the end of the answer.
   */
  read(bytes: Buffer): number {
    let offset = 0;
    let goesOn = true;
    while (goesOn && this.#state !== "idle") {
      if (this.#isComplete()) this.#end();
      else if (offset === bytes.length) break;
      else if (this.#state === "head") offset = this.#readHead(bytes, offset);
      else {
        if (this.#state === "chunked") offset = this.#chunks.readFrame(bytes, offset);
        const end = offset + this.#dataIn(bytes.length - offset);
        goesOn = end === offset || this.#receiver.onData(bytes.subarray(offset, end));
        offset = end;
      }
    }
    return offset;
  }

  /** The destination has sent all that it will; true when that completes an answer. */
  finish(): boolean {
    const isComplete = this.#state === "until-close";
    if (isComplete) this.#end();
    return isComplete;
  }

  #readHead(bytes: Buffer, offset: number): number {
    const before = this.#headStart.length;
    const head = before === 0 ? bytes : Buffer.concat([this.#headStart, bytes.subarray(offset)]);
    const start = before === 0 ? offset : 0;
    const end = head.indexOf(HEAD_END, start, "latin1");
    if ((end === -1 ? head.length : end) - start > HEAD_BYTES_MAX) {
      throw new DeliveryError(TOO_LARGE);
    }
    if (end === -1) {
      if (!mayBecomeHead(head.toString("latin1", start))) throw new DeliveryError(NOT_HTTP);
      this.#headStart = before === 0 ? Buffer.from(head.subarray(start)) : head;
      return bytes.length;
    }
    this.#headStart = EMPTY;
    this.#take(readHead(head.toString("latin1", start, end)));
    return end + HEAD_END.length - (before === 0 ? 0 : before - offset);
  }

  #take({ status, headers, transfer, keepAliveMs }: AnswerHead): void {
    // No request asked to switch protocols.
    if (status === 101) throw new DeliveryError(NOT_HTTP);
    if (status < 200) return this.#receiver.onHead(status, headers, 0);
    const hasBody = this.#method !== "HEAD" && status !== 204 && status !== 304;
    const length = hasBody ? transfer : 0;
    this.#keepAliveMs = length === "until-close" ? 0 : keepAliveMs;
    this.#left = typeof length === "number" ? length : 0;
    this.#state = typeof length === "number" ? "length" : length;
    if (length === "chunked") this.#chunks = new ChunkedBody();
    this.#receiver.onHead(status, headers, this.#left);
  }

  #dataIn(available: number): number {
    if (this.#state === "until-close") return available;
    if (this.#state === "chunked") return this.#chunks.takeData(available);
    const taken = Math.min(this.#left, available);
    this.#left -= taken;
    return taken;
  }

  #isComplete(): boolean {
    if (this.#state === "length") return this.#left === 0;
    return this.#state === "chunked" && this.#chunks.isOver;
  }

  #end(): void {
    this.#state = "idle";
    this.#receiver.onEnd();
  }
}

const EMPTY = Buffer.alloc(0);
const HEAD_END = "\r\n\r\n";
const HEAD_BYTES_MAX = 16 * 1024;
