import type { AccountRecord } from "../../../core/model/account/account.ts";
import type { Needs } from "../../../core/rule.ts";
import { encodeAccount } from "../../records/account-record.ts";
import { toAccountRecord, toServiceRecord } from "../../records/rows.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { rowsByKey } from "../group/rows-by-key.ts";

/** Accounts, and what the service itself stores. */
export async function loadAccounts(
  session: Session,
  needs: readonly Needs[],
  rows: WorkingSet,
): Promise<void> {
  const ids = needs.flatMap(({ accounts }) => accounts ?? []);
  const customers = needs.flatMap((each) => each.customers ?? []);
  const isServiceNeeded = needs.some(({ service }) => service === true);
  const [accounts, services] = await Promise.all([
    ids.length + customers.length > 0 ? session.query(SQL.lock, [ids, customers]) : [],
    isServiceNeeded ? session.query(SQL.lockService) : [],
  ]);
  for (const row of accounts) rows.loadAccount(toAccountRecord(row));
  for (const row of services) rows.loadService(toServiceRecord(row));
}

export async function writeAccounts(session: Session, rows: WorkingSet): Promise<void> {
  const { accountsAdded, accountsChanged, serviceChanged } = rows;
  await Promise.all([
    accountsAdded.size > 0 && session.query(SQL.add, accountColumns(accountsAdded.values())),
    accountsChanged.size > 0 && session.query(SQL.change, accountColumns(accountsChanged.values())),
    serviceChanged && session.query(SQL.changeService, [JSON.stringify(serviceChanged)]),
  ]);
}

function accountColumns(accounts: Iterable<AccountRecord>): unknown[] {
  return columnsOf(
    accounts,
    (account) => account.accountId,
    (account) => account.tokenHash,
    (account) => account.readOnlyTokenHash,
    (account) => account.limits.parallelismMax,
    encodeAccount,
    (account) => account.customerId,
    (account) => account.isHalted,
    (account) => account.previousTokens?.tokenHash ?? null,
    (account) => account.previousTokens?.readOnlyTokenHash ?? null,
  );
}

const SQL = {
  // By the primary key, in its order; accounts_customer finds those of customers.
  lock: `SELECT a.record FROM (
      SELECT account_id COLLATE "C" AS account_id FROM unnest($1::text[]) AS k (account_id)
      UNION
      SELECT (SELECT account_id FROM accounts WHERE customer_id = c.customer_id)
      FROM unnest($2::text[]) AS c (customer_id)
      ORDER BY 1
    ) k
    CROSS JOIN LATERAL (
      SELECT record FROM accounts WHERE account_id = k.account_id FOR UPDATE
    ) a`,
  add: `INSERT INTO accounts (account_id, token_hash, read_only_token_hash, parallelism_max, record,
      customer_id, halted, previous_token_hash, previous_read_only_token_hash)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[],
      $7::boolean[], $8::text[], $9::text[])`,
  change: `UPDATE accounts SET token_hash = a.token_hash,
      read_only_token_hash = a.read_only_token_hash, parallelism_max = a.parallelism_max,
      record = a.record, customer_id = a.customer_id, halted = a.halted,
      previous_token_hash = a.previous_token_hash,
      previous_read_only_token_hash = a.previous_read_only_token_hash
    FROM ${rowsByKey(
      "accounts",
      ["account_id"],
      `unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[],
        $7::boolean[], $8::text[], $9::text[])
      AS k (account_id, token_hash, read_only_token_hash, parallelism_max, record, customer_id,
        halted, previous_token_hash, previous_read_only_token_hash)`,
    )} a
    WHERE accounts.ctid = a.ctid`,
  lockService: "SELECT record FROM service FOR UPDATE",
  changeService: "UPDATE service SET record = $1",
} as const;
