import type { StatementSync } from "node:sqlite";
import { DAY_MS } from "../../../core/model/account/stats.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/**
 * The counts of each account and day. They follow from the log, so that a group need not write them:
 * what the log has gained is added about once a second, and a reader counts the rest itself.
 */
export class DailyCounts {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  /** Adds what the log has gained, in the transaction of the caller. */
  countLog(): void {
    this.#sql.count.run();
    this.#sql.counted.run();
  }
}

/** What one row of the log adds to the counts of its day; a message is delivered or fails once. */
export const COUNTED = `at / ${DAY_MS} AS day, state = 'CREATED' AS messages,
  coalesce(next_state, state) = 'DELIVERED' AS delivered,
  coalesce(next_state, state) = 'FAILED' AS failed`;
export const IS_NEW = "number > (SELECT value FROM sequences WHERE name = 'log-counted')";
export const SUMS = "sum(messages) AS messages, sum(delivered) AS delivered, sum(failed) AS failed";

const SQL = {
  // By number.
  count: `INSERT INTO daily_counts (account_id, day, writer, messages, delivered, failed)
    SELECT account_id, day, '', ${SUMS}
    FROM (SELECT account_id, ${COUNTED} FROM log_entries WHERE ${IS_NEW})
    WHERE messages OR delivered OR failed GROUP BY account_id, day
    ON CONFLICT (account_id, day, writer) DO UPDATE SET messages = messages + excluded.messages,
      delivered = delivered + excluded.delivered, failed = failed + excluded.failed`,
  counted: `UPDATE sequences
    SET value = max(value, coalesce((SELECT max(number) FROM log_entries), 0))
    WHERE name = 'log-counted'`,
} as const;
