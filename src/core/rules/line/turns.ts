/**
 * How many slots a line may ask for when lines share them: an equal part of what is left, so that
 * a lone line may have them all and what one leaves goes to those behind it.
 */
export function shareOf(slotsLeft: number, linesLeft: number): number {
  return Math.ceil(slotsLeft / Math.max(1, linesLeft));
}

/** Lines looked at in one claim. */
export const LINES_MAX = 64;
/** Accounts served in one claim; the next claim goes on with those after them. */
export const ACCOUNTS_MAX = 16;
/** Messages looked at beyond those asked for, because their hosts may be full. */
export const PASSED_OVER_MAX = 50;
/** Suspects looked at to find one that may run. */
export const SUSPECTS_MAX = 10;
/** How soon a claim looks again for a suspect that had to wait for another one. */
export const SUSPECT_VISIT_MS = 100;
/** When no more lines than this are due, they name the accounts that have any. */
export const LINES_NAMED = 2 * LINES_MAX;
/** Accounts asked in one claim whether anything of theirs is due. */
export const HOPS_MAX = 64;

/** The accounts that a claim serves, and where the next one goes on. */
export interface AccountTurns {
  readonly accountIds: readonly string[];
  readonly lastAccountId: string;
}

/** All accounts that have lines due are known: those after the last one served come first. */
export function inTurn(named: readonly string[], lastAccountId: string): AccountTurns {
  const sorted = named.toSorted();
  const after = sorted.filter((accountId) => accountId > lastAccountId);
  const before = sorted.filter((accountId) => accountId <= lastAccountId);
  const accountIds = [...after, ...before].slice(0, ACCOUNTS_MAX);
  return { accountIds, lastAccountId: accountIds.at(-1) ?? lastAccountId };
}

/**
 * So many lines are due that one account's may hide another's: accounts were asked in turn, at most
 * HOPS_MAX of them, and those that the oldest lines name fill up what is left.
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
