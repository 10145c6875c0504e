import type { LineKey, LineReport } from "../../core/model/line/line.ts";
import type { LineLoad, WaitingLines } from "../../core/model/line/waiting.ts";
import type { MessageKey } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";

export interface LineReader {
  /** Whether each line has settings, in the order of the keys. */
  areSet(keys: readonly LineKey[]): Promise<readonly boolean[]>;
  /** A line's settings and its load at that instant; null when it has no settings. */
  report(key: LineKey, now: Instant): Promise<LineReport | null>;
  /**
   * Lines whose names begin with the prefix and contain the text, by name. What waits is counted out of a
   * bounded number of rows, which the large lines share.
   */
  list(
    accountId: string,
    prefix: string,
    search: string,
    count: number,
    now: Instant,
  ): Promise<readonly LineReport[]>;
  /** The lines in which messages of an account wait or waited, by name, after the given one. */
  names(accountId: string, after: string, count: number): Promise<readonly string[]>;
  /** What a message in the line meets. */
  load(key: LineKey): Promise<LineLoad>;
  /**
   * Lines in which messages wait at an instant of due time: of each kind the first by name, out of a
   * bounded number of rows.
   */
  waiting(accountId: string, now: Instant): Promise<WaitingLines>;
  /**
   * The messages that hold the slots of each queue or key, those that have held them longest first,
   * and at most `count` of each. A callback may hold the slot of a message that has ended.
   */
  holders(
    accountId: string,
    lines: readonly string[],
    count: number,
  ): Promise<readonly (readonly string[])[]>;
  countQueues(accountId: string): Promise<number>;
  /** The position of the last message in a queue; 0 when it is empty. */
  lastPosition(key: LineKey): Promise<number>;
  /** Messages of a queue that have neither ended nor been canceled, up to a position. */
  queued(key: LineKey, upTo: number, count: number): Promise<readonly MessageKey[]>;
}

/** Lines of one kind that are searched for waiting messages. */
export const WAITING_LINES_MAX = 200;
/** Rows of one kind that are read to find those: keys without messages keep their rows for a day. */
export const WAITING_LINE_ROWS_MAX = 5_000;
/** Messages counted in each of them at first; those that have more share the rest. */
export const WAITING_FIRST_COUNT = 20;
/** Messages counted over all of them, beside the first ones. */
export const WAITING_ROWS_MAX = 20_000;
