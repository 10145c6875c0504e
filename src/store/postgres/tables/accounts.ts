import type { Needs } from "../../../core/rule.ts";
import { toAccountRecord, toServiceRecord } from "../../records/rows.ts";
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
