import type { LineKey, LineReport } from "../../core/model/line/line-setting.ts";
import type { Instant, MessageKey } from "../../core/model/message/message.ts";

export interface LineReader {
  /** Whether each line has settings, in the order of the keys. */
  areSet(keys: readonly LineKey[]): Promise<readonly boolean[]>;
  /** A line's settings and its load at that instant; null when it has no settings. */
  report(key: LineKey, now: Instant): Promise<LineReport | null>;
  /** Lines whose names begin with the prefix and contain the text, by name. */
  list(
    accountId: string,
    prefix: string,
    search: string,
    count: number,
    now: Instant,
  ): Promise<readonly LineReport[]>;
  /** The lines in which messages of an account wait or waited, by name, after the given one. */
  names(accountId: string, after: string, count: number): Promise<readonly string[]>;
  countQueues(accountId: string): Promise<number>;
  /** The position of the last message in a queue; 0 when it is empty. */
  lastPosition(key: LineKey): Promise<number>;
  /** Messages of a queue that have neither ended nor been canceled, up to a position. */
  queued(key: LineKey, upTo: number, count: number): Promise<readonly MessageKey[]>;
}
