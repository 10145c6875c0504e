/** Answers as the connection of a delivery reads them. */
import { AnswerParser } from "../../../src/delivery/http/answer-parser.ts";
import type { Reading } from "./reading.ts";

export function readWithOurs(pieces: readonly Buffer[], method: string, closes: boolean): Reading {
  const reading: Reading = { interim: [], status: 0, headers: [], body: "", end: "more" };
  const parser = new AnswerParser({
    onHead: (status, headers) => {
      if (status < 200) reading.interim.push(status);
      else Object.assign(reading, { status, headers: headers.flat() });
    },
    onData: (bytes) => {
      reading.body += bytes.toString("latin1");
      return true;
    },
    onEnd: () => {
      reading.end = "complete";
    },
  });
  parser.expect(method);
  try {
    for (const piece of pieces) {
      parser.read(piece);
      if (reading.end !== "more") break;
    }
    if (closes) parser.finish();
  } catch (error) {
    return { ...reading, end: "error", error: (error as Error).message };
  }
  if (reading.end === "complete") reading.keepsAlive = parser.keepAliveMs > 0 && method !== "HEAD";
  return reading;
}
