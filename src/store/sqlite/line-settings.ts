import type { StatementSync } from "node:sqlite";

import { lineKind } from "../../core/model/line.ts";
import type { LineKey, LineSetting, LineStatus } from "../../core/model/line-setting.ts";
import { toLineSetting } from "../rows.ts";
import type { WorkingSet } from "../working-set.ts";
import { type Database, prepareAll } from "./connection.ts";

/** What was set of queues and flow-control keys, and how they stand. */
export class LineSettings {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read({ accountId, line }: LineKey): LineSetting | null {
    const row = this.#sql.read.get(accountId, line);
    return row ? toLineSetting(row) : null;
  }

  /** Lines whose names begin with the prefix, after one of them. */
  list(accountId: string, prefix: string, after: string, count: number): LineSetting[] {
    const rows = this.#sql.list.all(accountId, prefix, `${prefix}\u{10FFFF}`, after, count);
    return rows.map(toLineSetting);
  }

  status({ accountId, line }: LineKey): LineStatus {
    const held = lineKind(line) === "queue" ? this.#sql.holds : this.#sql.underWay;
    const running = this.#sql.running.get(accountId, line);
    return {
      waiting: this.#sql.waiting.get(accountId, line)?.["count"] as number,
      held: held.get(accountId, line)?.["count"] as number,
      windowStartedAt: (running?.["window_started_at"] ?? 0) as number,
      windowStarts: (running?.["window_starts"] ?? 0) as number,
    };
  }

  countQueues(accountId: string): number {
    return this.#sql.countQueues.get(accountId)?.["count"] as number;
  }

  write({ lineSettings }: WorkingSet): void {
    for (const setting of lineSettings.put.values()) {
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
    for (const { accountId, line } of lineSettings.removed.values()) {
      this.#sql.remove.run(accountId, line);
    }
  }
}

const SQL = {
  read: "SELECT * FROM line_limits WHERE account_id = ? AND line = ?",
  list: `SELECT * FROM line_limits
    WHERE account_id = ?1 AND line >= ?2 AND line < ?3 AND line > ?4
    ORDER BY line LIMIT ?5`,
  countQueues: `SELECT count(*) AS count FROM line_limits
    WHERE account_id = ? AND line >= 'q:' AND line < 'q;'`,
  // messages_waiting
  waiting: `SELECT count(*) AS count FROM messages
    WHERE account_id = ? AND line = ? AND phase = 0 AND suspect = 0`,
  holds: "SELECT count(*) AS count FROM queue_holds WHERE account_id = ? AND line = ?",
  // messages_keyed
  underWay: `SELECT count(*) AS count FROM messages
    WHERE account_id = ? AND line = ? AND phase = 1 AND line >= 'k:' AND line < 'k;'`,
  running: "SELECT * FROM lines WHERE account_id = ? AND line = ?",
  put: `INSERT INTO line_limits (account_id, line, parallelism, rate, period_ms, paused,
      pinned_parallelism, pinned_rate, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account_id, line) DO UPDATE SET parallelism = excluded.parallelism,
      rate = excluded.rate, period_ms = excluded.period_ms, paused = excluded.paused,
      pinned_parallelism = excluded.pinned_parallelism, pinned_rate = excluded.pinned_rate,
      updated_at = excluded.updated_at`,
  remove: "DELETE FROM line_limits WHERE account_id = ? AND line = ?",
} as const;
