import type { HeaderList, MessageKey } from "./message.ts";
import type { Instant } from "../time.ts";

/** The result of one try to deliver. A failed attempt is a value, never an exception. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly outcome: Outcome;
}

export type Outcome = Answer | NoAnswer;

/** Why a body is incomplete: this service cut it, by its size or its chunks, or the connection broke. */
export type BodyCut = "limit" | "chunks" | "broken";

/** Why a body is incomplete, as text for the log and for callbacks. */
export function cutReason(cut: BodyCut, { byteLength }: Uint8Array): string {
  if (cut === "broken") return "the connection broke before the end of the answer";
  return cut === "chunks"
    ? `the first ${byteLength} bytes of the answer came in too many small chunks`
    : `the answer is larger than ${byteLength} bytes, the max_message_size of the account`;
}

/** The destination answered. A body that this service cut is whole for the destination. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
  readonly cut?: BodyCut | undefined;
}

export interface NoAnswer {
  readonly kind: "no-answer";
  /** A sentence for the log, without secrets. */
  readonly error: string;
  /** Another attempt cannot help: the address is never allowed. */
  readonly final: boolean;
}

/** An answer that breaks off may not be what the destination meant to say, whatever its status. */
export function succeeded(outcome: Outcome): boolean {
  return outcome.kind === "answer" && isGood(outcome.status) && outcome.cut !== "broken";
}

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a good status was followed by a body that broke off. */
export function brokeOff(outcome: Outcome): boolean {
  return outcome.kind === "answer" && isGood(outcome.status) && outcome.cut === "broken";
}

/** An attempt as stored: with its log entries, and with the dead letter if it was the last. */
export interface AttemptRecord extends MessageKey {
  readonly number: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  /** 0 when there was no answer. */
  readonly status: number;
  readonly error?: string | undefined;
  /** The response's headers, and whether its body was cut; see encodeAnswerHeaders. */
  readonly headers: string;
  readonly body: Uint8Array;
  /** The node that made it, once it is stored. */
  readonly nodeId?: string | undefined;
}

/** A cut body is marked by a header without a name, which no response can have. */
const CUT_MARK = ["", "cut"] as const;

/** The headers of a response as stored with its attempt. */
export function encodeAnswerHeaders(headers: HeaderList, isCut: boolean): string {
  return JSON.stringify(isCut ? [CUT_MARK, ...headers] : headers);
}

export function answerHeadersOf({ headers }: Pick<AttemptRecord, "headers">): HeaderList {
  const kept = JSON.parse(headers) as HeaderList;
  return kept[0]?.[0] === "" ? kept.slice(1) : kept;
}

/** Whether only a part of the response's body is stored. */
export function isAnswerCut({ headers }: Pick<AttemptRecord, "headers">): boolean {
  return headers.startsWith(CUT_BEGINNING);
}

const CUT_BEGINNING = JSON.stringify([CUT_MARK]).slice(0, -1);
