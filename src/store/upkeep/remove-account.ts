import { toAccountRecord } from "../records/resource-tables.ts";
import { change, changes, firstRows, one, type Reading } from "../reads/reading.ts";
import type { AccountRemoval, AccountRemoved } from "../store.ts";

/**
 * The tables with rows of accounts, in the order in which they are emptied: first what makes messages
 * by itself, then the messages, and what a rule locks before what it reads then.
 */
export const ACCOUNT_TABLES = [
  "schedules",
  "schedule_settings",
  "waiters",
  "messages",
  "runs",
  "run_events",
  "run_facts",
  "run_entries",
  "dead_letters",
  "body_pieces",
  "log_entries",
  "facts",
  "deduplications",
  "lines",
  "line_limits",
  "url_groups",
  "daily_counts",
  "stats",
  "backlog",
] as const;

export type AccountTable = (typeof ACCOUNT_TABLES)[number];

/** How a driver empties a table. */
export interface TableRemoval {
  /** Selects a row when the account `$1` has any. */
  readonly find: string;
  /** Each removes at most `$2` rows of the account `$1`. */
  readonly remove: readonly string[];
}

export type RemovalSql = Readonly<Record<AccountTable, TableRemoval>>;

const ACCOUNT_SQL = {
  get: "SELECT record FROM accounts WHERE account_id = $1",
  remove: "DELETE FROM accounts WHERE account_id = $1",
} as const;

/** Any number of nodes may do so at once: rows that another transaction has locked wait for a later page. */
export function* removeAccount(
  sql: RemovalSql,
  { accountId, pageMax, isLast }: AccountRemoval,
): Reading<AccountRemoved> {
  const account = yield* one(ACCOUNT_SQL.get, [accountId], toAccountRecord);
  if (account === null) return { removed: 0, left: "nothing" };
  if (account.deletingSince === undefined) throw new Error("the account is not being deleted");
  const found = yield* firstRows(
    ...ACCOUNT_TABLES.map((table) => ({ text: sql[table].find, values: [accountId] })),
  );
  const table = ACCOUNT_TABLES.find((_, index) => found[index] !== undefined);
  if (table !== undefined) {
    const pages = sql[table].remove.map((text) => ({ text, values: [accountId, pageMax] }));
    const counts = yield* changes(pages);
    return { removed: counts.reduce((sum, count) => sum + count, 0), left: "more" };
  }
  if (!isLast) return { removed: 0, left: "account" };
  return { removed: yield* change(ACCOUNT_SQL.remove, [accountId]), left: "nothing" };
}
