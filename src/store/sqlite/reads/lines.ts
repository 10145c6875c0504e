import type { StatementSync } from "node:sqlite";

import { lineKind } from "../../../core/model/line/line.ts";
import {
  type LineKey,
  type LineReport,
  type LineStatus,
  WAITING_COUNTED_MAX,
} from "../../../core/model/line/line-setting.ts";
import type { LineLoad, WaitingLines } from "../../../core/model/line/waiting.ts";
import type { MessageKey } from "../../../core/model/message/message.ts";
import type { Instant } from "../../../core/model/time.ts";
import { WAITING_FIRST_COUNT } from "../../reader/lines.ts";
import { ROWS_READ_MAX } from "../../reader/page.ts";
import { toLineSetting } from "../../records/rows.ts";
import { toListAgain } from "../../records/waiting-lines.ts";
import { LineSettings } from "../tables/line-settings.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";
import { WaitingReads } from "./waiting.ts";

export class LineReads implements InThread<"lines"> {
  readonly #waiting: WaitingReads;
  readonly #settings: LineSettings;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#waiting = new WaitingReads(database);
    this.#settings = new LineSettings(database);
    this.#sql = prepareAll(database, SQL);
  }

  areSet(keys: readonly LineKey[]): boolean[] {
    return keys.map((key) => this.#settings.read(key) !== null);
  }

  report(key: LineKey, now: Instant): LineReport | null {
    const setting = this.#settings.read(key);
    return setting && { setting, status: this.#status(setting, now, WAITING_COUNTED_MAX) };
  }

  list(
    accountId: string,
    prefix: string,
    search: string,
    count: number,
    now: Instant,
  ): LineReport[] {
    const end = `${prefix}\u{10FFFF}`;
    const values = [accountId, prefix, end, ROWS_READ_MAX, search, count] as const;
    const settings = this.#sql.list.all(...values).map(toLineSetting);
    const statuses = settings.map((each) => this.#status(each, now, WAITING_FIRST_COUNT));
    const { indices, countedMax } = toListAgain(statuses);
    for (const index of indices) {
      const waiting = this.#countWaiting(settings[index]!, now, countedMax);
      statuses[index] = { ...statuses[index]!, waiting };
    }
    return settings.map((setting, index) => ({ setting, status: statuses[index]! }));
  }

  names(accountId: string, after: string, count: number): string[] {
    return this.#sql.names.all(accountId, after, count).map((row) => row["line"] as string);
  }

  load(key: LineKey): LineLoad {
    return this.#waiting.load(key);
  }

  waiting(accountId: string, now: Instant): WaitingLines {
    return this.#waiting.find(accountId, now);
  }

  holders(accountId: string, lines: readonly string[], count: number): string[][] {
    return this.#waiting.holders(accountId, lines, count);
  }

  #status(key: LineKey, now: Instant, countedMax: number): LineStatus {
    const { accountId, line } = key;
    const held = lineKind(line) === "queue" ? this.#sql.admitted : this.#sql.underWay;
    const running = this.#sql.running.get(accountId, line);
    return {
      waiting: this.#countWaiting(key, now, countedMax),
      held: held.get(accountId, line)?.["count"] as number,
      windowStartedAt: (running?.["window_started_at"] ?? 0) as number,
      windowStarts: (running?.["window_starts"] ?? 0) as number,
    };
  }

  #countWaiting({ accountId, line }: LineKey, now: Instant, countedMax: number): number {
    const dueBy = lineKind(line) === "queue" ? Number.MAX_SAFE_INTEGER : now;
    return this.#sql.waiting.get(accountId, line, dueBy, countedMax)?.["count"] as number;
  }

  lastPosition({ accountId, line }: LineKey): number {
    return this.#sql.lastPosition.get(accountId, line)?.["position"] as number;
  }

  queued({ accountId, line }: LineKey, upTo: number, count: number): MessageKey[] {
    const rows = this.#sql.queued.all(accountId, line, upTo, count);
    return rows.map((row) => ({ accountId, messageId: row["message_id"] as string }));
  }

  countQueues(accountId: string): number {
    return this.#sql.countQueues.get(accountId)?.["count"] as number;
  }
}

const SQL = {
  list: `SELECT * FROM (
      SELECT * FROM line_limits WHERE account_id = ?1 AND line >= ?2 AND line < ?3
      ORDER BY line LIMIT ?4
    ) WHERE instr(substr(line, 3), ?5) > 0 OR ?5 = '' LIMIT ?6`,
  names: "SELECT line FROM lines WHERE account_id = ? AND line > ? ORDER BY line LIMIT ?",
  countQueues: `SELECT count(*) AS count FROM line_limits
    WHERE account_id = ? AND line >= 'q:' AND line < 'q;'`,
  // messages_waiting
  waiting: `SELECT count(*) AS count FROM (
      SELECT 1 FROM messages
      WHERE account_id = ? AND line = ? AND phase = 0 AND suspect = 0 AND ready_at <= ? LIMIT ?)`,
  // messages_holding
  admitted: `SELECT count(*) AS count FROM messages
    WHERE account_id = ? AND queue = ? AND root_id = message_id AND line_after IS NULL`,
  // messages_keyed
  underWay: `SELECT count(*) AS count FROM messages
    WHERE account_id = ? AND line = ? AND phase = 1 AND line >= 'k:' AND line < 'k;'`,
  running: "SELECT * FROM lines WHERE account_id = ? AND line = ?",
  // messages_queued, messages_holding
  lastPosition: `SELECT coalesce(max(position), 0) AS position FROM (
      SELECT max(position) AS position FROM messages
      WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND line_after IS NOT NULL
      UNION ALL
      SELECT max(position) FROM messages WHERE account_id = ?1 AND queue = ?2)`,
  queued: `SELECT message_id FROM (
      SELECT message_id FROM messages
      WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND line_after IS NOT NULL
        AND position <= ?3
      ORDER BY position LIMIT ?4)
    UNION
    SELECT message_id FROM messages
    WHERE account_id = ?1 AND queue = ?2 AND position <= ?3 AND cancel_requested = 0
    LIMIT ?4`,
} as const;
