import type { Instant } from "./message.ts";

/** A message out of attempts, kept with its last answer until it is retried, removed or too old. */
export interface DeadLetter {
  readonly accountId: string;
  /** With `number`, its id: `<diedAt>-<number>`. */
  readonly diedAt: Instant;
  readonly number: number;
  readonly messageId: string;
  /** The attempt whose answer is kept with it; 0 when none was made. */
  readonly attempt: number;
  /** Its status, so that lists can be filtered by it; 0 when there was no answer. */
  readonly status: number;
  readonly error?: string | undefined;
  /** The run that failed with it; such letters are listed apart. */
  readonly run?: { readonly runId: string; readonly createdAt: Instant } | undefined;
}

export interface DeadLetterKey {
  readonly accountId: string;
  readonly diedAt: Instant;
  readonly number: number;
}

export function deadLetterId(key: DeadLetterKey): string {
  return `${key.diedAt}-${key.number}`;
}

/** Null for a text that is no id of a dead letter. */
export function parseDeadLetterId(accountId: string, text: string): DeadLetterKey | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  return match ? { accountId, diedAt: Number(match[1]), number: Number(match[2]) } : null;
}
