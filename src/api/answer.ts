import type { Json } from "../wire/message.ts";

/** What is answered to a call: plain values, written in one place. */
export interface Answer {
  readonly status: number;
  /** The text of a JSON document, or nothing. */
  readonly body: string;
  /** Names and values in turn, beside those that every answer has. */
  readonly headers?: readonly string[] | undefined;
}

export function json(status: number, value: Json | readonly (Json | readonly Json[])[]): Answer {
  return { status, body: JSON.stringify(value) };
}

export const EMPTY: Answer = { status: 200, body: "" };

/** The whole header of an answer, as names and values in turn. */
export function headersOf(answer: Answer): readonly string[] {
  const length = Buffer.byteLength(answer.body);
  const { headers } = answer;
  if (headers !== undefined) return [...baseHeaders(length), ...headers];
  if (length > LENGTHS_KEPT_MAX) return baseHeaders(length);
  return (keptHeaders[length] ??= baseHeaders(length));
}

function baseHeaders(length: number): string[] {
  return length === 0
    ? ["Content-Length", "0"]
    : ["Content-Type", "application/json", "Content-Length", String(length)];
}

/** Most answers are short and of few lengths: those need not be put together again. */
const LENGTHS_KEPT_MAX = 256;
const keptHeaders: (readonly string[])[] = [];
