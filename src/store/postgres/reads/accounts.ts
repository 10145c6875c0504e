import type { AccountRecord } from "../../../core/model/account/account.ts";
import type { DailyCount } from "../../../core/model/account/daily-count.ts";
import { toDailyCount } from "../../group/daily-tally.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { type AccountUsage, USAGE_MAX } from "../../reader/accounts.ts";
import { type Row, toAccountRecord, toAccountUsage } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";
import { numberedRowsOf } from "../group/columns.ts";

export class AccountReads implements NounReader<"accounts"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(accountId: string): Promise<AccountRecord | null> {
    return accountIn(await this.#session.query(SQL.get, [accountId]));
  }

  async getAll(accountIds: readonly string[]): Promise<(AccountRecord | null)[]> {
    return inOrder(accountIds, await this.#session.query(SQL.getAll, [accountIds]));
  }

  async byTokens(tokenHashes: readonly string[]): Promise<(AccountRecord | null)[]> {
    return inOrder(tokenHashes, await this.#session.query(SQL.byTokens, [tokenHashes]));
  }

  async byCustomer(customerId: string): Promise<AccountRecord | null> {
    return accountIn(await this.#session.query(SQL.byCustomer, [customerId]));
  }

  async list(after: string, count: number): Promise<AccountRecord[]> {
    return (await this.#session.query(SQL.list, [after, count])).map(toAccountRecord);
  }

  async dailyCounts(accountId: string, fromDay: number): Promise<DailyCount[]> {
    return (await this.#session.query(SQL.dailyCounts, [accountId, fromDay])).map(toDailyCount);
  }

  async usage(accountId: string): Promise<AccountUsage> {
    const [row] = await this.#session.query(SQL.usage, [accountId]);
    return toAccountUsage(row!);
  }
}

function accountIn([row]: readonly Row[]): AccountRecord | null {
  return row ? toAccountRecord(row) : null;
}

/** The account found for each of the keys, by the number of the key. */
function inOrder(keys: readonly string[], rows: readonly Row[]): (AccountRecord | null)[] {
  const found = new Map(rows.map((row) => [row["nth"] as number, row]));
  return keys.map((_, index) => {
    const row = found.get(index + 1);
    return row ? toAccountRecord(row) : null;
  });
}

const SQL = {
  get: "SELECT record FROM accounts WHERE account_id = $1",
  getAll: `SELECT nth, record FROM ${numberedRowsOf("account_id $1 text")} k
    CROSS JOIN LATERAL (SELECT record FROM accounts WHERE account_id = k.account_id) a`,
  byTokens: `SELECT nth, record FROM ${numberedRowsOf("hash $1 text")} k
    CROSS JOIN LATERAL (
      SELECT record FROM accounts WHERE token_hash = k.hash
      UNION ALL SELECT record FROM accounts WHERE read_only_token_hash = k.hash
      UNION ALL SELECT record FROM accounts WHERE previous_token_hash = k.hash
      UNION ALL SELECT record FROM accounts WHERE previous_read_only_token_hash = k.hash
    ) a`,
  byCustomer: "SELECT record FROM accounts WHERE customer_id = $1",
  list: "SELECT record FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2",
  usage: `SELECT (SELECT count(*) FROM (
      SELECT 1 FROM line_limits WHERE account_id = $1 AND line >= 'q:' AND line < 'q;' LIMIT ${USAGE_MAX}) q) AS queues,
    (SELECT count(*) FROM (
      SELECT 1 FROM url_groups WHERE account_id = $1 LIMIT ${USAGE_MAX}) u) AS url_groups,
    (SELECT count(*) FROM (
      SELECT 1 FROM schedules WHERE account_id = $1 LIMIT ${USAGE_MAX}) s) AS schedules,
    (SELECT count(*) FROM (
      SELECT 1 FROM dead_letters WHERE account_id = $1 LIMIT ${USAGE_MAX}) d) AS dead_letters`,
  dailyCounts: `SELECT day, sum(messages) AS messages, sum(delivered) AS delivered, sum(failed) AS failed,
      sum(dropped) AS dropped
    FROM daily_counts WHERE account_id = $1 AND day >= $2 GROUP BY day ORDER BY day`,
} as const;
