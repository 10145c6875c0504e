import type { StatementSync } from "node:sqlite";

import { lineKind } from "../../../core/model/line/line.ts";
import {
  type LineKey,
  type LineReport,
  type LineSetting,
  type LineStatus,
  type LineUses,
  WAITING_COUNTED_MAX,
} from "../../../core/model/line/line-setting.ts";
import type { Instant, MessageKey } from "../../../core/model/message/message.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import type { DueLine } from "../../group/line-rows.ts";
import { ROWS_READ_MAX } from "../../reader.ts";
import { toLineSetting } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Settings of queues and flow-control keys, and their current load. */
export class LineSettings {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read({ accountId, line }: LineKey): LineSetting | null {
    const row = this.#sql.read.get(accountId, line);
    return row ? toLineSetting(row) : null;
  }

  areSet(keys: readonly LineKey[]): boolean[] {
    return keys.map((key) => this.read(key) !== null);
  }

  /** A line's settings and load; null when it has no settings. */
  report(key: LineKey, now: Instant): LineReport | null {
    const setting = this.read(key);
    return setting && { setting, status: this.#status(setting, now, WAITING_COUNTED_MAX) };
  }

  /** Lines whose names begin with the prefix and contain the text, by name. */
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
    const countedMax = Math.ceil(WAITING_COUNTED_MAX / Math.max(1, settings.length));
    return settings.map((setting) => ({ setting, status: this.#status(setting, now, countedMax) }));
  }

  #status({ accountId, line }: LineKey, now: Instant, countedMax: number): LineStatus {
    const isQueue = lineKind(line) === "queue";
    const held = isQueue ? this.#sql.admitted : this.#sql.underWay;
    const dueBy = isQueue ? Number.MAX_SAFE_INTEGER : now;
    const running = this.#sql.running.get(accountId, line);
    return {
      waiting: this.#sql.waiting.get(accountId, line, dueBy, countedMax)?.["count"] as number,
      held: held.get(accountId, line)?.["count"] as number,
      windowStartedAt: (running?.["window_started_at"] ?? 0) as number,
      windowStarts: (running?.["window_starts"] ?? 0) as number,
    };
  }

  /** The position of the last message in a queue; 0 when it is empty. */
  lastPosition({ accountId, line }: LineKey): number {
    return this.#sql.lastPosition.get(accountId, line)?.["position"] as number;
  }

  /** Messages of a queue that have neither ended nor been canceled, up to a position. */
  queued({ accountId, line }: LineKey, upTo: number, count: number): MessageKey[] {
    const rows = this.#sql.queued.all(accountId, line, upTo, count);
    return rows.map((row) => ({ accountId, messageId: row["message_id"] as string }));
  }

  countQueues(accountId: string): number {
    return this.#sql.countQueues.get(accountId)?.["count"] as number;
  }

  /**
   * Stores what publishers asked for, where it changes a line. Returns the lines whose stored
   * limits changed: messages may wait there.
   */
  use(used: Iterable<LineUses>): DueLine[] {
    const changed: DueLine[] = [];
    for (const uses of used) {
      const known = this.read(uses);
      const after = settingAfterUses(known, uses);
      if (after === null) continue;
      this.#put(after);
      if (known !== null) changed.push({ ...uses, at: after.updatedAt });
    }
    return changed;
  }

  #put(setting: LineSetting): void {
    const { accountId, line, limits } = setting;
    this.#sql.put.run(
      accountId,
      line,
      limits.parallelism,
      limits.rate,
      limits.periodMs,
      limits.paused ? 1 : 0,
      setting.isParallelismPinned ? 1 : 0,
      setting.isRatePinned ? 1 : 0,
      setting.createdAt,
      setting.updatedAt,
    );
  }

  write({ lineSettings }: WorkingSet): void {
    for (const setting of lineSettings.put.values()) this.#put(setting);
    for (const { accountId, line } of lineSettings.removed.values()) {
      this.#sql.remove.run(accountId, line);
    }
  }
}

const SQL = {
  read: "SELECT * FROM line_limits WHERE account_id = ? AND line = ?",
  list: `SELECT * FROM (
      SELECT * FROM line_limits WHERE account_id = ?1 AND line >= ?2 AND line < ?3
      ORDER BY line LIMIT ?4
    ) WHERE instr(substr(line, 3), ?5) > 0 OR ?5 = '' LIMIT ?6`,
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
  put: `INSERT INTO line_limits (account_id, line, parallelism, rate, period_ms, paused,
      pinned_parallelism, pinned_rate, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account_id, line) DO UPDATE SET parallelism = excluded.parallelism,
      rate = excluded.rate, period_ms = excluded.period_ms, paused = excluded.paused,
      pinned_parallelism = excluded.pinned_parallelism, pinned_rate = excluded.pinned_rate,
      created_at = excluded.created_at, updated_at = excluded.updated_at`,
  remove: "DELETE FROM line_limits WHERE account_id = ? AND line = ?",
} as const;
