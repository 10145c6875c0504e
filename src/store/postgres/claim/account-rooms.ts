import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";

/** How many more attempts each account may start; accounts that are not listed have no limit. */
export type AccountRooms = Map<string, number>;

/**
 * Counts the attempts under way of accounts with a limit and locks their rows, so that no other
 * claim counts them at the same time. An account that another claim has locked, or that is halted,
 * has no free capacity for this one.
 */
export async function accountRooms(
  session: Session,
  accountIds: readonly string[],
): Promise<AccountRooms> {
  const found = await session.query(CLAIM_SQL.boundedAccounts, [accountIds]);
  const bounded = found.map((row) => row["account_id"] as string);
  const rooms: AccountRooms = new Map(bounded.map((accountId) => [accountId, 0]));
  if (bounded.length === 0) return rooms;
  const [locked, counts] = await Promise.all([
    session.query(CLAIM_SQL.lockAccounts, [bounded]),
    session.query(CLAIM_SQL.countCapped, [bounded]),
  ]);
  const held = new Map(counts.map((row) => [row["account_id"] as string, row["held"] as number]));
  for (const row of locked) {
    const accountId = row["account_id"] as string;
    const max = row["parallelism_max"] as number;
    rooms.set(accountId, Math.max(0, max - (held.get(accountId) ?? 0)));
  }
  return rooms;
}
