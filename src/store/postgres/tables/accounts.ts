import type { Needs } from "../../../core/rule.ts";
import { toAccountRecord } from "../../records/resource-tables.ts";
import { toServiceRecord } from "../../records/rows.ts";
import { COUNT_SQL } from "../../group/row-counts.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Session } from "../driver/conversation.ts";

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

/** Exact under the lock of the account, which rules that count ask for as well. */
export async function loadCounts(
  session: Session,
  needs: readonly Needs[],
  { counts }: WorkingSet,
): Promise<void> {
  const keys = needs.flatMap((each) => each.counts ?? []);
  await Promise.all(
    keys.map(async (key) => {
      const [row] = await session.query(COUNT_SQL[key.noun], [key.accountId]);
      counts.load(key, row?.["count"] as number);
    }),
  );
}

export async function changeService(
  session: Session,
  { serviceChanged }: WorkingSet,
): Promise<void> {
  if (serviceChanged === null) return;
  await session.query(SQL.changeService, [JSON.stringify(serviceChanged)]);
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
  lockService: "SELECT record FROM service FOR UPDATE",
  changeService: "UPDATE service SET record = $1",
} as const;
