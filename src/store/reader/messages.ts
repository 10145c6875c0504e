import type { WaitingPlaces } from "../../core/model/line/waiting.ts";
import type { DeadLetter } from "../../core/model/message/dead-letter.ts";
import type { LogEntry, LoggedEntry, LogState } from "../../core/model/message/log-entry.ts";
import type { LiveFilter, LogFilter } from "../../core/model/message/log-filter.ts";
import type { MessageState, Message, MessageKey } from "../../core/model/message/message.ts";
import type { LiveAction } from "../../core/views/matches-message.ts";
import type { Page, PageRequest } from "./page.ts";

export interface MessageReader {
  /** A body longer than `bodyBytesMax` is cut. */
  get(key: MessageKey, bodyBytesMax?: number): Promise<StoredMessage | null>;
  /** Messages without their bodies, in the given order; null when a message is gone. */
  settings(accountId: string, messageIds: readonly string[]): Promise<readonly (Message | null)[]>;
  /** The callbacks that report about a message, without their bodies, the newest first. */
  callbacks(key: MessageKey, count: number): Promise<readonly Message[]>;
  /** `count` bytes of a message's body, starting at `from`; null when the message is gone. */
  bodyPart(key: MessageKey, from: number, count: number): Promise<Uint8Array | null>;
  /** The newest state in the log of each message, in the given order; null for none. */
  lastStates(
    accountId: string,
    messageIds: readonly string[],
  ): Promise<readonly (LogState | null)[]>;
  underWay(accountId: string): Promise<number>;
  /** The greatest id of the messages that have not ended; null when there are none. */
  lastLive(accountId: string): Promise<string | null>;
  /** Ids of messages that have neither ended nor been canceled, in order. */
  live(accountId: string, filter: LiveFilter, range: LiveRange): Promise<Page<string>>;
  log(accountId: string, filter: LogFilter, page: PageRequest): Promise<Page<LoggedMessage>>;
}

export interface StoredMessage {
  readonly message: Message;
  readonly body: Uint8Array;
  /** Null when it has ended. */
  readonly state: MessageState | null;
  readonly lastEntry: LogEntry | null;
  /** What is left of a failed message until it is removed or retried. */
  readonly deadLetter: DeadLetter | null;
}

/** A log entry with its position in the log of all accounts. */
export interface LoggedMessage extends LoggedEntry {
  readonly number: number;
}

export interface LiveRange {
  /** Where the previous page ended; an empty text for the first. */
  readonly after: string;
  readonly upTo: string;
  readonly count: number;
  /** Only messages that this action would change; its instant is in due time. */
  readonly target?: LiveAction | undefined;
  /** Only messages that wait there. */
  readonly waiting?: WaitingPlaces | undefined;
}

/** Fewer where each row is read with its facts, and the caller does not need a full page. */
export const LIVE_ROWS_READ_MAX = 2_000;
export const LOG_BODY_BYTES_MAX = 10_000;
/** A body that is shown alone is read in parts of this size, a multiple of base64's groups. */
export const BODY_PART_BYTES = 768 * 1024;
/** More than any body has. */
export const WHOLE_BODY_BYTES = 2 ** 31 - 2;
