/** Answers as llhttp reads them, the parser inside Node.js. */
import { createRequire } from "node:module";
import type { Reading } from "./reading.ts";

/** The part of Node's binding that is used here; it has no types. */
interface Llhttp {
  initialize(type: number, owner: object, headerBytesMax: number, lenience: number): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  [callback: number]: unknown;
}

interface Binding {
  new (): Llhttp;
  readonly RESPONSE: number;
  readonly kLenientNone: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

const { HTTPParser } = createRequire(import.meta.url)("node:_http_common") as {
  HTTPParser: Binding;
};

export function readWithLlhttp(
  pieces: readonly Buffer[],
  method: string,
  closes: boolean,
): Reading {
  const parser = new HTTPParser();
  const reading: Reading = { interim: [], status: 0, headers: [], body: "", end: "more" };
  let early: string[] = [];
  parser.initialize(HTTPParser.RESPONSE, {}, 1 << 20, HTTPParser.kLenientNone);
  parser[HTTPParser.kOnHeaders] = (headers: string[]): void => {
    early = [...early, ...headers];
  };
  parser[HTTPParser.kOnHeadersComplete] = (
    major: number,
    minor: number,
    headers: string[] | undefined,
    _method: number,
    _url: string,
    status: number,
    _reason: string,
    _upgrade: boolean,
    keepsAlive: boolean,
  ): number => {
    if (reading.status !== 0) return 0;
    if (status >= 100 && status < 200 && status !== 101) reading.interim.push(status);
    else {
      const names = headers === undefined ? early : [...early, ...headers];
      Object.assign(reading, { status, version: `${major}.${minor}`, headers: names, keepsAlive });
    }
    early = [];
    return method === "HEAD" ? 1 : 0;
  };
  parser[HTTPParser.kOnBody] = (bytes: Buffer): void => {
    if (reading.end === "more") reading.body += bytes.toString("latin1");
  };
  parser[HTTPParser.kOnMessageComplete] = (): void => {
    if (reading.status !== 0 && reading.end === "more") reading.end = "complete";
  };
  for (const piece of pieces) {
    const result = parser.execute(piece);
    if (reading.end !== "more") return reading;
    if (typeof result !== "number") return { ...reading, end: "error", error: result.message };
  }
  if (closes) {
    const error = parser.finish();
    if (reading.end === "more" && error !== undefined) {
      return { ...reading, end: "error", error: error.message };
    }
  }
  return reading;
}
