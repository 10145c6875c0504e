import type { ClaimedLease, ClaimBudget } from "../../claim-budget.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";

export interface Candidate {
  readonly accountId: string;
  readonly messageId: string;
  readonly host: string;
  readonly bytes: number;
  /** The queue it came from, if that has been paused since. */
  readonly pausedQueue: string | null;
}

/** A lease, and the line its message was in. */
export interface LeasedInLine extends ClaimedLease {
  readonly line: string;
}

/**
 * Leases those candidates that no other transaction has locked, and logs that they are under way.
 */
export async function lease(
  session: Session,
  candidates: readonly Candidate[],
  { request }: ClaimBudget,
): Promise<LeasedInLine[]> {
  if (candidates.length === 0) return [];
  const keys = columnsOf(
    candidates,
    ({ accountId }) => accountId,
    ({ messageId }) => messageId,
  );
  const { nodeId, now, shownAt } = request;
  const rows = await session.query(CLAIM_SQL.lease, [...keys, nodeId, now, shownAt]);
  return rows.map((row) => ({
    accountId: row["account_id"] as string,
    messageId: row["message_id"] as string,
    fence: row["fence"] as number,
    host: row["host"] as string,
    attempts: row["attempts"] as number,
    line: row["line"] as string,
  }));
}
