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

/** The destination answered. The body may be cut; the status decides. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
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
  /** The response's HeaderList, encoded. */
  readonly headers: string;
  readonly body: Uint8Array;
}
