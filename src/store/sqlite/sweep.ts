import type { StatementSync } from "node:sqlite";

import type { Swept, SweepRequest } from "../store.ts";
import { type Database, transaction } from "./connection.ts";

/** Removes what is too old, a bounded page to a call. It keeps its place between calls. */
export class Sweep {
  readonly #database: Database;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;
  #afterRow = 0;

  constructor(database: Database) {
    this.#database = database;
    const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared) as Record<keyof typeof SQL, StatementSync>;
  }

  sweep(request: SweepRequest): Swept {
    return transaction(this.#database, () => {
      const { now, deadLettersBefore, pageMax } = request;
      const keys = Number(this.#sql.deduplications.run(now, pageMax).changes);
      const letters = Number(this.#sql.deadLetters.run(deadLettersBefore, pageMax).changes);
      const facts = this.#facts(request);
      return {
        removed: keys + letters + facts.removed,
        more: keys === pageMax || letters === pageMax || facts.more,
      };
    });
  }

  /** Old messages in the order they were made. Those that live or are dead letters are passed by. */
  #facts({ endedBefore, pageMax }: SweepRequest): { removed: number; more: boolean } {
    const rows = this.#sql.oldFacts.all(this.#afterRow, endedBefore, pageMax);
    let removed = 0;
    for (const row of rows) {
      this.#afterRow = row["row_number"] as number;
      if (row["kept"] === 1) continue;
      const key = [row["account_id"] as string, row["message_id"] as string] as const;
      this.#sql.removeEntries.run(...key);
      this.#sql.removeAttempts.run(...key);
      this.#sql.removeFacts.run(this.#afterRow);
      removed += 1;
    }
    const more = rows.length === pageMax;
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
  oldFacts: `SELECT rowid AS row_number, account_id, message_id,
      EXISTS (SELECT 1 FROM messages
        WHERE messages.account_id = facts.account_id AND messages.message_id = facts.message_id)
      OR EXISTS (SELECT 1 FROM dead_letters
        WHERE dead_letters.account_id = facts.account_id
          AND dead_letters.message_id = facts.message_id) AS kept
    FROM facts WHERE rowid > ? AND created_at < ? ORDER BY rowid LIMIT ?`,
  removeEntries: "DELETE FROM log_entries WHERE account_id = ? AND message_id = ?",
  removeAttempts: "DELETE FROM attempts WHERE account_id = ? AND message_id = ?",
  removeFacts: "DELETE FROM facts WHERE rowid = ?",
} as const;
