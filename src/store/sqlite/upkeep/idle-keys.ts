import type { StatementSync } from "node:sqlite";

import { type Database, prepareAll } from "../thread/connection.ts";

/** Removes flow-control keys that are no longer used. Runs inside the writer's transaction. */
export class IdleKeys {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  /** Keys in use are checked again after the same time. */
  remove(before: number, now: number, count: number): { removed: number; examined: number } {
    const keys = this.#sql.candidates.all(before, count);
    let removed = 0;
    for (const row of keys) {
      const key = [row["account_id"] as string, row["line"] as string] as const;
      if (this.#sql.isUsed.get(...key, before)?.["used"] === 1) {
        this.#sql.touch.run(now, ...key);
        continue;
      }
      this.#sql.removeSetting.run(...key);
      this.#sql.removeLine.run(...key);
      removed += 1;
    }
    return { removed, examined: keys.length };
  }
}

const SQL = {
  candidates: `SELECT account_id, line FROM line_limits INDEXED BY line_limits_idle
    WHERE line >= 'k:' AND line < 'k;' AND paused = 0 AND pinned_parallelism = 0
      AND pinned_rate = 0 AND updated_at < ?
    ORDER BY updated_at LIMIT ?`,
  // lines, messages_waiting, messages_keyed, messages_suspect, messages_behind
  isUsed: `SELECT EXISTS (SELECT 1 FROM lines JOIN line_limits USING (account_id, line)
      WHERE account_id = ?1 AND line = ?2
        AND (next_at IS NOT NULL OR window_started_at + period_ms >= ?3))
    OR EXISTS (SELECT 1 FROM messages
      WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND suspect = 0)
    OR EXISTS (SELECT 1 FROM messages
      WHERE account_id = ?1 AND line = ?2 AND phase = 1 AND line >= 'k:' AND line < 'k;')
    OR EXISTS (SELECT 1 FROM messages INDEXED BY messages_suspect
      WHERE suspect = 1 AND phase IN (0, 1) AND account_id = ?1 AND line = ?2)
    OR EXISTS (SELECT 1 FROM messages
      WHERE account_id = ?1 AND line_after = ?2 AND line_after >= 'k:' AND line_after < 'k;')
    AS used`,
  touch: "UPDATE line_limits SET updated_at = ? WHERE account_id = ? AND line = ?",
  removeSetting: "DELETE FROM line_limits WHERE account_id = ? AND line = ?",
  removeLine: "DELETE FROM lines WHERE account_id = ? AND line = ?",
} as const;
