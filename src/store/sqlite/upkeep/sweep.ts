import type { StatementSync } from "node:sqlite";

import { dayOf } from "../../../core/model/account/daily-count.ts";
import type { AccountSwept, AccountSweepRequest, Swept, SweepRequest } from "../../store.ts";
import { type Database, prepareAll, transaction } from "../thread/connection.ts";
import { OF_ACCOUNT } from "../reads/of-account.ts";
import { DailyCounts } from "../tables/daily-counts.ts";
import { StatRows } from "../tables/stats.ts";
import { IdleKeys } from "./idle-keys.ts";
import { SweepRuns } from "./sweep-runs.ts";

/** Removes what is too old or too much, a bounded page for each call. */
export class Sweep {
  readonly #database: Database;
  readonly #days: DailyCounts;
  readonly #stats: StatRows;
  readonly #idleKeys: IdleKeys;
  readonly #runs: SweepRuns;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#database = database;
    this.#days = new DailyCounts(database);
    this.#stats = new StatRows(database);
    this.#idleKeys = new IdleKeys(database);
    this.#runs = new SweepRuns(database);
    this.#sql = prepareAll(database, SQL);
  }

  sweep({ now, countsBefore, keysBefore, pageMax }: SweepRequest): Swept {
    return transaction(this.#database, () => {
      const keys = Number(this.#sql.deduplications.run(now, pageMax).changes);
      const days = this.#days.remove(dayOf(countsBefore), pageMax);
      const stats = this.#stats.remove(now, pageMax);
      const idle = this.#idleKeys.remove(keysBefore, now, pageMax);
      const most = Math.max(keys, days, stats, idle.examined);
      return { removed: keys + days + idle.removed, more: most === pageMax };
    });
  }

  sweepAccount(request: AccountSweepRequest): AccountSwept {
    return transaction(this.#database, () => {
      const { accountId, now, after, endedBefore, pageMax } = request;
      // What is removed from the log has been counted before.
      this.#days.countLog();
      const old = this.#oldLetters(request);
      const dropped = this.#surplusLetters(request);
      if (dropped > 0) this.#days.drop(accountId, dayOf(now), dropped);
      if (old === pageMax || dropped === pageMax) return { removed: old, dropped, kept: 0, after };
      const runs = this.#runs.sweep(accountId, endedBefore, pageMax);
      if (runs.more) return { removed: old + runs.removed, dropped, kept: 0, after };
      const messages = this.#messages(request);
      return { ...messages, removed: old + runs.removed + messages.removed, dropped };
    });
  }

  #oldLetters({ accountId, deadLettersBefore, pageMax }: AccountSweepRequest): number {
    return Number(this.#sql.oldLetters.run(accountId, deadLettersBefore, pageMax).changes);
  }

  #surplusLetters({ accountId, surplusBefore, pageMax }: AccountSweepRequest): number {
    if (surplusBefore === null) return 0;
    const { diedAt, number } = surplusBefore;
    return Number(this.#sql.surplusLetters.run(accountId, diedAt, number, pageMax).changes);
  }

  /**
   * Old messages in the order of the log, up to the first that is too young: the following are
   * hardly older, and not worth reading.
   */
  #messages(request: AccountSweepRequest): Omit<AccountSwept, "dropped"> {
    const { accountId, endedBefore, pageMax } = request;
    const rows = this.#sql.nextEntries.all(accountId, Number(request.after), pageMax);
    const young = rows.findIndex(
      (row) => row["state"] === "CREATED" && (row["at"] as number) >= endedBefore,
    );
    const old = young === -1 ? rows : rows.slice(0, young);
    let removed = 0;
    let kept = 0;
    for (const row of old) {
      if (row["state"] !== "CREATED") continue;
      const key = [accountId, row["message_id"] as string] as const;
      if (this.#sql.isKept.get(...key, endedBefore) !== undefined) {
        kept += 1;
        continue;
      }
      this.#sql.removeEntries.run(...key);
      this.#sql.removeFacts.run(...key);
      removed += 1;
    }
    const more = old.length === pageMax;
    return { removed, kept, after: more ? String(old.at(-1)!["number"]) : null };
  }
}

const SQL = {
  deduplications: `DELETE FROM deduplications WHERE (account_id, key) IN (
    SELECT account_id, key FROM deduplications WHERE expires_at <= ? LIMIT ?)`,
  oldLetters: `DELETE FROM dead_letters WHERE (account_id, died_at, number) IN (
    SELECT account_id, died_at, number FROM dead_letters WHERE account_id = ? AND died_at < ?
    ORDER BY died_at, number LIMIT ?)`,
  surplusLetters: `DELETE FROM dead_letters WHERE (account_id, died_at, number) IN (
    SELECT account_id, died_at, number FROM dead_letters
    WHERE account_id = ? AND (died_at, number) < (?, ?)
    ORDER BY died_at, number LIMIT ?)`,
  // log_entries_account
  nextEntries: `SELECT number, message_id, at, state FROM log_entries
    WHERE ${OF_ACCOUNT} AND number > ?2 ORDER BY number LIMIT ?3`,
  // It is live, a dead letter, or ended lately.
  isKept: `SELECT 1 AS kept FROM messages WHERE account_id = ?1 AND message_id = ?2
    UNION ALL SELECT 1 FROM dead_letters WHERE account_id = ?1 AND message_id = ?2
    UNION ALL SELECT 1 FROM log_entries
      WHERE account_id = ?1 AND message_id = ?2 AND at >= ?3`,
  removeEntries: "DELETE FROM log_entries WHERE account_id = ? AND message_id = ?",
  removeFacts: "DELETE FROM facts WHERE account_id = ? AND message_id = ?",
} as const;
