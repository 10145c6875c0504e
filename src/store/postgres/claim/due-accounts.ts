import {
  type AccountTurns,
  probedInTurn,
  HOPS_MAX,
  inTurn,
} from "../../../core/rules/line/turns.ts";
import type { ClaimBudget } from "../../claim-budget.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { nameColumns } from "./line-state.ts";

/** The first due lines that this node could serve. */
export interface NextLines {
  readonly lines: readonly { readonly accountId: string; readonly nextAt: number }[];
  readonly more: boolean;
}

export async function nextLines(
  session: Session,
  budget: ClaimBudget,
  from: number,
  count: number,
): Promise<NextLines> {
  const shut = nameColumns(budget.fullAccountLines);
  const values = [from, budget.fullLines, ...shut, budget.retrySlots > 0, count];
  const rows = await session.query(CLAIM_SQL.nextLines, values);
  const lines = rows.map((row) => ({
    accountId: row["account_id"] as string,
    nextAt: row["next_at"] as number,
  }));
  return { lines, more: lines.length === count };
}

/**
 * Accounts that have lines due, starting after the last one served. A short list of due lines names
 * them all; otherwise a bounded number of accounts is asked in turn, so that none waits behind the
 * many lines of another.
 */
export async function accountsInTurn(
  session: Session,
  next: NextLines,
  { lastAccountId, linesFrom }: { readonly lastAccountId: string; readonly linesFrom: number },
  now: number,
): Promise<AccountTurns> {
  const due = next.lines.filter(({ nextAt }) => nextAt <= now);
  const named = [...new Set(due.map(({ accountId }) => accountId))];
  if (!next.more || due.length < next.lines.length) return inTurn(named, lastAccountId);
  const values = [lastAccountId, linesFrom, now, HOPS_MAX];
  const rows = await session.query(CLAIM_SQL.accountsAfter, values);
  const asked = rows.map((row) => ({
    accountId: row["account_id"] as string,
    isDue: row["due"] === true,
  }));
  return probedInTurn(asked, named);
}
