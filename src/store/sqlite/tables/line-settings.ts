import type { StatementSync } from "node:sqlite";

import type { LineKey, LineSetting, LineUses } from "../../../core/model/line/line-setting.ts";
import { settingAfterUses } from "../../../core/rules/line/lines.ts";
import type { DueLine } from "../../group/line-rows.ts";
import { toLineSetting } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** Settings of queues and flow-control keys. */
export class LineSettings {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  read({ accountId, line }: LineKey): LineSetting | null {
    const row = this.#sql.read.get(accountId, line);
    return row ? toLineSetting(row) : null;
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
  put: `INSERT INTO line_limits (account_id, line, parallelism, rate, period_ms, paused,
      pinned_parallelism, pinned_rate, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (account_id, line) DO UPDATE SET parallelism = excluded.parallelism,
      rate = excluded.rate, period_ms = excluded.period_ms, paused = excluded.paused,
      pinned_parallelism = excluded.pinned_parallelism, pinned_rate = excluded.pinned_rate,
      created_at = excluded.created_at, updated_at = excluded.updated_at`,
  remove: "DELETE FROM line_limits WHERE account_id = ? AND line = ?",
} as const;
