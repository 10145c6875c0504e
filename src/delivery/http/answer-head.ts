/** Reads the head of an answer: its status line and headers. */

import type { HeaderList } from "../../core/model/message/message.ts";
import { DeliveryError, NOT_HTTP } from "./network-error.ts";

export interface AnswerHead {
  readonly status: number;
  /** Names as sent, values byte for byte; the first HEADERS_MAX of them. */
  readonly headers: HeaderList;
  readonly transfer: Transfer;
  /** How long the connection may be idle afterwards; 0 when it must be closed. */
  readonly keepAliveMs: number;
}

/** How the end of a body is found: after this many bytes, by its chunks, or by the connection. */
export type Transfer = number | "chunked" | "until-close";

/** The text is the head without the empty line at its end. */
export function readHead(text: string): AnswerHead {
  const { version, status } = readStatusLine(text);
  const headers: [string, string][] = [];
  const framing = new Framing(version);
  for (let start = lineEnd(text, 0) + 2; start < text.length;) {
    const end = lineEnd(text, start);
    const [name, value] = readHeaderLine(text, start, end);
    framing.add(name, value);
    if (headers.length < HEADERS_MAX) headers.push([name, value]);
    start = end + 2;
  }
  return { status, headers, transfer: framing.transfer(), keepAliveMs: framing.keepAliveMs() };
}

/** Whether bytes that are not yet a whole head can still become one. */
export function mayBecomeHead(text: string): boolean {
  // A line feed may follow a carriage return at the end.
  const lines = text.endsWith("\r") ? text.slice(0, -1) : text;
  return text.startsWith(BEGINNING.slice(0, text.length)) && !LONE_LINE_END.test(lines);
}

/** Name and value of the header line between two offsets. */
export function readHeaderLine(text: string, start: number, end: number): [string, string] {
  const colon = text.indexOf(":", start);
  if (colon === -1 || colon >= end) throw new DeliveryError(NOT_HTTP);
  const name = text.slice(start, colon);
  const value = trimmed(text, colon + 1, end);
  if (!NAME.test(name) || !VALUE.test(value)) throw new DeliveryError(NOT_HTTP);
  return [name, value];
}

function readStatusLine(text: string): { version: string; status: number } {
  const version = text.charAt(BEGINNING.length);
  const after = text.charCodeAt(STATUS_END);
  const digits = text.slice(STATUS_AT, STATUS_END);
  const isValid =
    text.startsWith(BEGINNING) &&
    (version === "1" || version === "0") &&
    text.charCodeAt(STATUS_AT - 1) === BLANK &&
    STATUS.test(digits) &&
    (Number.isNaN(after) || after === BLANK || after === CARRIAGE_RETURN) &&
    !LONE_LINE_END.test(text);
  if (!isValid) throw new DeliveryError(NOT_HTTP);
  return { version, status: Number(digits) };
}

/** What the headers say about the end of the body and of the connection. */
class Framing {
  readonly #version: string;
  #length: number | null = null;
  #codings: string | null = null;
  #connection = "";
  #idleMs = IDLE_MS;

  constructor(version: string) {
    this.#version = version;
  }

  add(name: string, value: string): void {
    // Few names have one of these lengths; the others need not be compared.
    if (name.length === 10) this.#addOfConnection(name.toLowerCase(), value);
    else if (name.length === 14 && name.toLowerCase() === "content-length") {
      if (this.#length !== null || !LENGTH.test(value)) throw new DeliveryError(NOT_HTTP);
      this.#length = Number(value);
    } else if (name.length === 17 && name.toLowerCase() === "transfer-encoding") {
      if (this.#codings !== null || value === "") throw new DeliveryError(NOT_HTTP);
      this.#codings = value;
    }
  }

  transfer(): Transfer {
    if (this.#codings === null) return this.#length ?? "until-close";
    if (this.#length !== null) throw new DeliveryError(NOT_HTTP);
    return LAST_CODING_CHUNKED.test(this.#codings) ? "chunked" : "until-close";
  }

  keepAliveMs(): number {
    const named = this.#connection;
    const isKept =
      named === ""
        ? this.#version === "1"
        : !hasToken(named, "close") && (this.#version === "1" || hasToken(named, "keep-alive"));
    return isKept ? this.#idleMs : 0;
  }

  #addOfConnection(lowerName: string, value: string): void {
    if (lowerName === "connection") this.#connection += `,${value.toLowerCase()}`;
    else if (lowerName === "keep-alive") {
      const seconds = IDLE_SECONDS.exec(value)?.[1];
      if (seconds === undefined) return;
      this.#idleMs = Math.max(0, Math.min(Number(seconds) * 1_000 - IDLE_MARGIN_MS, IDLE_MS_MAX));
    }
  }
}

function hasToken(list: string, token: string): boolean {
  return list.split(",").some((part) => part.trim() === token);
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\r\n", start);
  return end === -1 ? text.length : end;
}

/** The text between two offsets without blanks around it. */
function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isBlank(text.charCodeAt(from))) from += 1;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB;
}

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;

const BEGINNING = "HTTP/1.";
const STATUS_AT = BEGINNING.length + 2;
const STATUS_END = STATUS_AT + 3;
const STATUS = /^[1-9][0-9]{2}$/;
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** A line ends with both characters; one alone hides a line from those who want both. */
const LONE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
const LENGTH = /^[0-9]{1,15}$/;
const LAST_CODING_CHUNKED = /(?:^|,)[\t ]*chunked[\t ]*$/i;
const IDLE_SECONDS = /timeout=([0-9]{1,9})/i;

const HEADERS_MAX = 256;
/** How long a connection may be idle when the destination does not say. */
const IDLE_MS = 4_000;
const IDLE_MS_MAX = 30_000;
/** A destination may close a connection while a request is on its way: we close it earlier. */
const IDLE_MARGIN_MS = 2_000;
