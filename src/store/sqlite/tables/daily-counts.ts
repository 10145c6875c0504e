import type { StatementSync } from "node:sqlite";

import type { DailyCount } from "../../../core/model/account/daily-count.ts";
import { dailyTally, toDailyCount } from "../../group/daily-tally.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** The counts of each account and day: written with every group, read for limits and statistics. */
export class DailyCounts {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  add(rows: WorkingSet, now: number): void {
    for (const { accountId, day, messages, delivered, failed } of dailyTally(rows, now)) {
      this.#sql.add.run(accountId, day, messages, delivered, failed);
    }
  }

  /** From the given day on, oldest first; days without any count are left out. */
  dailyCounts(accountId: string, fromDay: number): DailyCount[] {
    return this.#sql.read.all(accountId, fromDay).map(toDailyCount);
  }

  drop(accountId: string, day: number, dropped: number): void {
    this.#sql.drop.run(accountId, day, dropped);
  }

  remove(beforeDay: number, pageMax: number): number {
    return Number(this.#sql.remove.run(beforeDay, pageMax).changes);
  }
}

const SQL = {
  add: `INSERT INTO daily_counts (account_id, day, writer, messages, delivered, failed)
    VALUES (?, ?, '', ?, ?, ?)
    ON CONFLICT (account_id, day, writer) DO UPDATE SET messages = messages + excluded.messages,
      delivered = delivered + excluded.delivered, failed = failed + excluded.failed`,
  drop: `INSERT INTO daily_counts (account_id, day, writer, messages, delivered, failed, dropped)
    VALUES (?, ?, '', 0, 0, 0, ?)
    ON CONFLICT (account_id, day, writer) DO UPDATE SET dropped = dropped + excluded.dropped`,
  read: `SELECT day, messages, delivered, failed, dropped FROM daily_counts
    WHERE account_id = ? AND day >= ? ORDER BY day`,
  remove: `DELETE FROM daily_counts WHERE (account_id, day, writer) IN (
    SELECT account_id, day, writer FROM daily_counts WHERE day < ? LIMIT ?)`,
} as const;
