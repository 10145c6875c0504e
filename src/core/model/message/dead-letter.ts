import type { RunInstance } from "./message.ts";
import type { Instant } from "../time.ts";

/** A failed message with its last response, until it is retried, deleted or expired. */
export interface DeadLetter extends DeadLetterKey {
  readonly messageId: string;
  /** The attempt whose response is stored with it; 0 when none was made. */
  readonly attempt: number;
  /** The response's status, for filters; 0 when there was no response. */
  readonly status: number;
  readonly error?: string | undefined;
  /** What failures of one kind have in common; see causeOf. */
  readonly cause: string;
  /** The run that failed with it; such dead letters are listed separately. */
  readonly run?: RunInstance | undefined;
}

export interface DeadLetterKey {
  readonly accountId: string;
  /** With `number`, its id: `<diedAt>-<number>`. */
  readonly diedAt: Instant;
  readonly number: number;
}

export function deadLetterId(key: DeadLetterKey): string {
  return `${key.diedAt}-${key.number}`;
}

/** Null for a text that is not the id of a dead letter. */
export function parseDeadLetterId(accountId: string, text: string): DeadLetterKey | null {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  return match ? { accountId, diedAt: Number(match[1]), number: Number(match[2]) } : null;
}
