import type { StatementSync } from "node:sqlite";

import type { DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import type { Oldest } from "../../reader.ts";
import { OF_ACCOUNT } from "../reads/of-account.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** The age and number of an account's records, which the janitor reads before it sweeps. */
export class RetentionReader {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  oldest(accountIds: readonly string[]): Oldest[] {
    return accountIds.map((accountId) => ({
      accountId,
      messageAt: (this.#sql.message.get(accountId)?.["at"] as number | undefined) ?? null,
      deadLetterAt: (this.#sql.deadLetter.get(accountId)?.["at"] as number | undefined) ?? null,
    }));
  }

  olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): DeadLetterKey | null {
    const { diedAt, number } = than ?? YOUNGEST;
    const row = this.#sql.older.get(accountId, diedAt, number, steps - 1);
    if (row === undefined) return null;
    return { accountId, diedAt: row["died_at"] as number, number: row["number"] as number };
  }
}

const YOUNGEST = { diedAt: Number.MAX_SAFE_INTEGER, number: 0 };

const SQL = {
  // log_entries_account. A message is removed with all its entries.
  message: `SELECT at FROM log_entries WHERE ${OF_ACCOUNT} ORDER BY number LIMIT 1`,
  deadLetter: `SELECT died_at AS at FROM dead_letters WHERE account_id = ?
    ORDER BY died_at, number LIMIT 1`,
  older: `SELECT died_at, number FROM dead_letters
    WHERE account_id = ? AND (died_at, number) < (?, ?)
    ORDER BY died_at DESC, number DESC LIMIT 1 OFFSET ?`,
} as const;
