import type { ClaimedLease, ClaimBudget } from "../../claim-budget.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";

export interface Candidate {
  readonly accountId: string;
  readonly messageId: string;
  readonly host: string;
  readonly bytes: number;
  /** The queue that let it through, if it has been paused since. */
  readonly pausedQueue: string | null;
}

/** A lease, and the line in which its message stood. */
export interface LeasedInLine extends ClaimedLease {
  readonly line: string;
}

/** Leases what nobody else is busy with, and logs that it is under way. */
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
