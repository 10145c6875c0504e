import type { StatementSync } from "node:sqlite";

import type { Swept, SweepRequest } from "../store.ts";
import { dayOf } from "../../core/model/daily-count.ts";
import { type Database, prepareAll, transaction } from "./connection.ts";
import { DailyCounts } from "./daily-counts.ts";

/** Removes what is too old, a bounded page to a call. It keeps its place between calls. */
export class Sweep {
  readonly #database: Database;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;
  readonly #days: DailyCounts;
  #afterRow = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#sql = prepareAll(database, SQL);
    this.#days = new DailyCounts(database);
  }

  sweep(request: SweepRequest): Swept {
    return transaction(this.#database, () => {
      const { now, deadLettersBefore, pageMax } = request;
      const keys = Number(this.#sql.deduplications.run(now, pageMax).changes);
      const letters = Number(this.#sql.deadLetters.run(deadLettersBefore, pageMax).changes);
      const days = this.#days.remove(dayOf(request.countsBefore), pageMax);
      const facts = this.#facts(request);
      return {
        removed: keys + letters + days + facts.removed,
        more: keys === pageMax || letters === pageMax || days === pageMax || facts.more,
      };
    });
  }

  /**
   * Old messages in the order they were made, up to the first that is too young: those behind it
   * are hardly older, and are not worth reading. Those that live or are dead letters are passed by.
   */
  #facts({ endedBefore, pageMax }: SweepRequest): { removed: number; more: boolean } {
    const rows = this.#sql.nextFacts.all(this.#afterRow, pageMax);
    const young = rows.findIndex((row) => (row["created_at"] as number) >= endedBefore);
    const old = young === -1 ? rows : rows.slice(0, young);
    let removed = 0;
    for (const row of old) {
      this.#afterRow = row["row_number"] as number;
      const key = [row["account_id"] as string, row["message_id"] as string] as const;
      if (this.#sql.isKept.get(...key, ...key) !== undefined) continue;
      this.#sql.removeEntries.run(...key);
      this.#sql.removeAttempts.run(...key);
      this.#sql.removeFacts.run(this.#afterRow);
      removed += 1;
    }
    const more = old.length === pageMax;
    // What was passed by may have ended since: the next round begins anew.
    if (!more) this.#afterRow = 0;
    return { removed, more };
  }
}

const SQL = {
  deduplications: `DELETE FROM deduplications WHERE (account_id, key) IN (
    SELECT account_id, key FROM deduplications WHERE expires_at <= ? LIMIT ?)`,
  deadLetters: `DELETE FROM dead_letters WHERE (account_id, died_at, number) IN (
    SELECT account_id, died_at, number FROM dead_letters WHERE died_at < ? LIMIT ?)`,
  nextFacts: `SELECT rowid AS row_number, account_id, message_id, created_at
    FROM facts WHERE rowid > ? ORDER BY rowid LIMIT ?`,
  isKept: `SELECT 1 AS kept FROM messages WHERE account_id = ? AND message_id = ?
    UNION ALL SELECT 1 FROM dead_letters WHERE account_id = ? AND message_id = ?`,
  removeEntries: "DELETE FROM log_entries WHERE account_id = ? AND message_id = ?",
  removeAttempts: "DELETE FROM attempts WHERE account_id = ? AND message_id = ?",
  removeFacts: "DELETE FROM facts WHERE rowid = ?",
} as const;
