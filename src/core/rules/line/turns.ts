/**
 * How many slots a line may take when lines share them: an equal part of those left, so that a lone
 * line may take all, and unused ones go to later lines.
 */
export function shareOf(slotsLeft: number, linesLeft: number): number {
  return Math.ceil(slotsLeft / Math.max(1, linesLeft));
}

/** Lines visited in one claim. */
export const LINES_MAX = 64;
/** Accounts served in one claim; the next claim continues after them. */
export const ACCOUNTS_MAX = 16;
/** Messages read beyond those wanted, because their hosts may be full. */
export const PASSED_OVER_MAX = 50;
/** Suspects read to find one that may run. */
export const SUSPECTS_MAX = 10;
/** How soon a claim returns to a suspect that waits for another one. */
export const SUSPECT_VISIT_MS = 100;
/** When at most this many lines are due, the accounts are taken from them. */
export const LINES_NAMED = 2 * LINES_MAX;
/** Accounts probed for due lines in one claim. */
export const HOPS_MAX = 64;

/** The accounts that a claim serves, and where the next one continues. */
export interface AccountTurns {
  readonly accountIds: readonly string[];
  readonly lastAccountId: string;
}

/** All accounts with due lines are known: those after the last one served come first. */
export function inTurn(named: readonly string[], lastAccountId: string): AccountTurns {
  const sorted = named.toSorted();
  const after = sorted.filter((accountId) => accountId > lastAccountId);
  const before = sorted.filter((accountId) => accountId <= lastAccountId);
  const accountIds = [...after, ...before].slice(0, ACCOUNTS_MAX);
  return { accountIds, lastAccountId: accountIds.at(-1) ?? lastAccountId };
}

/**
 * So many lines are due that those of one account may hide another's: at most HOPS_MAX accounts
 * were probed in turn, and the accounts of the oldest lines fill the rest.
 */
export function probedInTurn(
  asked: readonly { readonly accountId: string; readonly isDue: boolean }[],
  named: readonly string[],
): AccountTurns {
  const due = asked.filter(({ isDue }) => isDue).map(({ accountId }) => accountId);
  const accountIds = due.slice(0, ACCOUNTS_MAX);
  if (accountIds.length === ACCOUNTS_MAX) {
    return { accountIds, lastAccountId: accountIds.at(-1) ?? "" };
  }
  const sawAll = asked.length < HOPS_MAX;
  return {
    accountIds: [...new Set([...accountIds, ...named])].slice(0, ACCOUNTS_MAX),
    lastAccountId: sawAll ? "" : (asked.at(-1)?.accountId ?? ""),
  };
}
