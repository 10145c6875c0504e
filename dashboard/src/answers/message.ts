/** `npm run reference` writes this file from the schemas of the server. */
import type { LogState } from "../../../sdk/src/answers/words.ts";
import type { Wait } from "../../../sdk/src/answers/message.ts";

export interface Callback {
  /** The callback is a message with this id. */
  readonly messageId: string;
  readonly kind: "callback" | "failure-callback";
  /** Where it is sent. */
  readonly url: string;
  /** The newest state in its log. */
  readonly state: LogState;
  /** When it was made. Unix milliseconds. */
  readonly createdAt: number;
}

export interface Callbacks {
  readonly callbacks: readonly Callback[];
}

export interface DeadLetterGroup {
  /** Status of the last answer; 0 without an answer. */
  readonly responseStatus: number;
  /** What failures of one kind have in common: the error, or the name and message in the last answer, else its status. Numbers and ids are masked. */
  readonly cause: string;
  /** How many dead letters failed with this status and cause. */
  readonly count: number;
  /** When the oldest of them failed. Unix milliseconds. */
  readonly firstAt: number;
  /** When the newest of them failed. Unix milliseconds. */
  readonly lastAt: number;
  /** Why the last attempt failed, where all of them have the same text. */
  readonly error?: string;
}

export interface DeadLetterGroups {
  readonly groups: readonly DeadLetterGroup[];
}

export interface WaitingRow extends Wait {
  /** Messages that wait for this. */
  readonly count: number;
  /** There may be more. */
  readonly isAbout: boolean;
  readonly oldest: {
    /** The oldest message that waits for this. */
    readonly messageId: string;
    /** Its destination. */
    readonly url: string;
    /** When it was accepted. Unix milliseconds. */
    readonly createdAt: number;
  } | null;
}

export interface WaitingReasons {
  readonly reasons: readonly WaitingRow[];
  /** Not all lines were read. */
  readonly isPartial: boolean;
}
