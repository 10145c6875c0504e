import type { HeaderList, Instant, MessageKey } from "./message.ts";

/** What happened when we tried. A failed attempt is a value, never an exception. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly outcome: Outcome;
}

export type Outcome = Answer | NoAnswer;

/**
 * Why a body is not whole: it is larger than what is kept of an answer, or the connection broke
 * before its end.
 */
export type BodyCut = "limit" | "broken";

/** Why a body is not whole, for a log and for those who wait for it. */
export function cutReason(cut: BodyCut, { byteLength }: Uint8Array): string {
  return cut === "limit"
    ? `the answer is larger than ${byteLength} bytes, the max_message_size of the account`
    : "the connection broke before the end of the answer";
}

/** The destination answered. The body may be cut; the status decides. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
  readonly cut?: BodyCut | undefined;
}

export interface NoAnswer {
  readonly kind: "no-answer";
  /** A sentence for the log; never a secret. */
  readonly error: string;
  /** Trying again cannot help: the address is one that we never dial. */
  readonly final: boolean;
}

export function succeeded(outcome: Outcome): boolean {
  return outcome.kind === "answer" && outcome.status >= 200 && outcome.status < 300;
}

/** An attempt as it is kept: with its log entries, and with the dead letter if it was the last. */
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
}

/** A cut body is marked by a header without a name, which no answer can have. */
const CUT_MARK = ["", "cut"] as const;

/** The headers of an answer as they are kept with its attempt. */
export function encodeAnswerHeaders(headers: HeaderList, isCut: boolean): string {
  return JSON.stringify(isCut ? [CUT_MARK, ...headers] : headers);
}

export function answerHeadersOf({ headers }: Pick<AttemptRecord, "headers">): HeaderList {
  const kept = JSON.parse(headers) as HeaderList;
  return kept[0]?.[0] === "" ? kept.slice(1) : kept;
}

/** Whether less of the answer's body is kept than there was. */
export function isAnswerCut({ headers }: Pick<AttemptRecord, "headers">): boolean {
  return headers.startsWith(CUT_BEGINNING);
}

const CUT_BEGINNING = JSON.stringify([CUT_MARK]).slice(0, -1);
