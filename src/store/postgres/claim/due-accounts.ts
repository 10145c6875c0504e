import {
  type AccountsInTurn,
  askedInTurn,
  HOPS_MAX,
  inTurn,
} from "../../../core/rules/line/turns.ts";
import type { ClaimBudget } from "../../claim-budget.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { nameColumns } from "./line-look.ts";

/** The lines that are due first of those that this node could serve. */
export interface NextLines {
  readonly lines: readonly { readonly accountId: string; readonly nextAt: number }[];
  /** There are more of them. */
  readonly more: boolean;
}

export async function nextLines(
  session: Session,
  purse: ClaimBudget,
  from: number,
  count: number,
): Promise<NextLines> {
  const shut = nameColumns(purse.fullOwnLines);
  const values = [from, purse.fullLines, ...shut, purse.retrySlots > 0, count];
  const rows = await session.query(CLAIM_SQL.nextLines, values);
  const lines = rows.map((row) => ({
    accountId: row["account_id"] as string,
    nextAt: row["next_at"] as number,
  }));
  return { lines, more: lines.length === count };
}

/**
 * Accounts that have lines due, those after the last one served first. When few lines are due they
 * name them all; else an account must not wait behind the many lines of another, and a bounded
 * number of accounts is asked in turn.
 */
export async function accountsInTurn(
  session: Session,
  next: NextLines,
  { lastAccountId, linesFrom }: { readonly lastAccountId: string; readonly linesFrom: number },
  now: number,
): Promise<AccountsInTurn> {
  const due = next.lines.filter(({ nextAt }) => nextAt <= now);
  const named = [...new Set(due.map(({ accountId }) => accountId))];
  if (!next.more || due.length < next.lines.length) return inTurn(named, lastAccountId);
  const values = [lastAccountId, linesFrom, now, HOPS_MAX];
  const rows = await session.query(CLAIM_SQL.accountsAfter, values);
  const asked = rows.map((row) => ({
    accountId: row["account_id"] as string,
    isDue: row["due"] === true,
  }));
  return askedInTurn(asked, named);
}
