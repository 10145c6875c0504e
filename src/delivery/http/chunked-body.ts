/** Reads one body in chunks. Trailers are checked and dropped. */

import { readHeaderLine } from "./answer-head.ts";
import { DeliveryError, NOT_HTTP, TOO_LARGE } from "./network-error.ts";

export class ChunkedBody {
  #state: "size" | "extension" | "data" | "trailers" | "over" = "size";
  #digits = 0;
  /** Bytes of the chunk that have not arrived. */
  #left = 0;
  /** The last byte was a carriage return, so a line feed must follow. */
  #isLineEnding = false;
  /** Data is followed by an empty line. */
  #isAfterData = false;
  #lineBytes = 0;
  /** Each byte of data allows one more: what is read and dropped must not be without end. */
  #extensionBytesLeft = LINE_BYTES_MAX;
  /** The extension of a chunk, or a trailer, so far. */
  #text = "";

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Reads what surrounds the data; the offset where data begins, or where the bytes end. */
  readFrame(bytes: Buffer, start: number): number {
    let offset = start;
    while (offset < bytes.length && this.#state !== "data" && this.#state !== "over") {
      this.#readByte(bytes[offset]!);
      offset += 1;
    }
    return offset;
  }

  /** The number of bytes from the offset on that are data. */
  takeData(available: number): number {
    if (this.#state !== "data") return 0;
    const taken = Math.min(this.#left, available);
    this.#left -= taken;
    this.#extensionBytesLeft += taken;
    if (this.#left === 0) {
      this.#state = "size";
      this.#isAfterData = true;
      this.#digits = 0;
      this.#lineBytes = 0;
    }
    return taken;
  }

  #readByte(byte: number): void {
    if (++this.#lineBytes > LINE_BYTES_MAX) throw new DeliveryError(TOO_LARGE);
    if (this.#isLineEnding) {
      if (byte !== LINE_FEED) throw new DeliveryError(NOT_HTTP);
      this.#isLineEnding = false;
      this.#endLine();
    } else if (byte === CARRIAGE_RETURN) {
      this.#isLineEnding = true;
    } else if (this.#state === "size") this.#readSize(byte);
    else this.#addText(byte);
  }

  /** Of an extension or a trailer. */
  #addText(byte: number): void {
    if (this.#state === "extension" && --this.#extensionBytesLeft < 0) {
      throw new DeliveryError(TOO_LARGE);
    }
    this.#text += String.fromCharCode(byte);
  }

  #readSize(byte: number): void {
    const digit = this.#isAfterData ? -1 : hexDigit(byte);
    if (digit >= 0 && this.#digits < DIGITS_MAX) {
      this.#left = this.#left * 16 + digit;
      this.#digits += 1;
    } else if (byte === SEMICOLON && this.#digits > 0) {
      this.#state = "extension";
      this.#text = ";";
    } else throw new DeliveryError(NOT_HTTP);
  }

  #endLine(): void {
    if (this.#state === "trailers") return this.#endTrailer();
    if (this.#isAfterData) {
      this.#isAfterData = false;
      return;
    }
    const isValid = this.#digits > 0 && (this.#text === "" || EXTENSION.test(this.#text));
    if (!isValid) throw new DeliveryError(NOT_HTTP);
    this.#text = "";
    this.#state = this.#left === 0 ? "trailers" : "data";
    if (this.#left === 0) this.#lineBytes = 0;
  }

  #endTrailer(): void {
    if (this.#text === "") this.#state = "over";
    else readHeaderLine(this.#text, 0, this.#text.length);
    this.#text = "";
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SEMICOLON = 0x3b;
const EXTENSION =
  /^(?:;[!#$%&'*+\-.^_`|~0-9A-Za-z]+(?:=(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+|"[\t\x20\x21\x23-\x5b\x5d-\x7e]*"))?)+$/;
/** The size of a chunk stays within what a number holds exactly. */
const DIGITS_MAX = 13;
/** The line of a size, all trailers together, and how many more bytes extensions may have than the data. */
const LINE_BYTES_MAX = 16 * 1024;
