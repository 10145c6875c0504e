/** An equal part of what is left: a lone line may take all, unused slots go to later lines. */
export function shareOf(slotsLeft: number, linesLeft: number): number {
  return Math.ceil(slotsLeft / Math.max(1, linesLeft));
}

/** What a claim asks of a line to divide its slots. */
interface AccountLine {
  readonly accountId: string;
}

/**
 * The parts of the slots that lines may take in one claim, where the lines of an account follow each
 * other: each account has an equal part of the slots left, and each of its lines an equal part of
 * that. So an account that sends to many hosts leaves the others their slots.
 */
export class SlotParts {
  readonly #lines: Map<string, number>;
  #accountId = "";
  /** Slots for the accounts after this one. */
  #others = 0;

  constructor(lines: readonly AccountLine[]) {
    this.#lines = new Map();
    for (const { accountId } of lines) {
      this.#lines.set(accountId, (this.#lines.get(accountId) ?? 0) + 1);
    }
  }

  /** The part of the next line; `slots` are left for it, of `slotsLeft` in all. */
  next({ accountId }: AccountLine, slots: number, slotsLeft: number): number {
    if (accountId !== this.#accountId) {
      this.#lines.delete(this.#accountId);
      this.#accountId = accountId;
      this.#others = slotsLeft - shareOf(slotsLeft, this.#lines.size);
    }
    const linesLeft = this.#lines.get(accountId)!;
    this.#lines.set(accountId, linesLeft - 1);
    return shareOf(Math.min(slots, Math.max(0, slotsLeft - this.#others)), linesLeft);
  }
}

/** Each claim starts with another account: with few slots, the first ones take them all. */
export function startingWith(accountIds: readonly string[], claims: number): string[] {
  const first = claims % Math.max(1, accountIds.length);
  return [...accountIds.slice(first), ...accountIds.slice(0, first)];
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
/** Due lines to full hosts that a claim passes before it asks the accounts. */
export const SHUT_LINES_MAX = 4 * LINES_MAX;
/** Accounts probed for due lines in one claim. */
export const HOPS_MAX = 64;

/** The accounts that a claim serves, and where the next one continues. */
export interface AccountTurns {
  readonly accountIds: readonly string[];
  readonly lastAccountId: string;
  /** All that have due lines; null when not all were seen. */
  readonly accountsDue: readonly string[] | null;
}

/** All accounts with due lines are known: those after the last one served come first. */
export function inTurn(named: readonly string[], lastAccountId: string): AccountTurns {
  const sorted = named.toSorted();
  const after = sorted.filter((accountId) => accountId > lastAccountId);
  const before = sorted.filter((accountId) => accountId <= lastAccountId);
  const accountIds = [...after, ...before].slice(0, ACCOUNTS_MAX);
  return { accountIds, lastAccountId: accountIds.at(-1) ?? lastAccountId, accountsDue: named };
}

/**
 * So many lines are due that those of one account may hide another's: at most HOPS_MAX accounts
 * were probed in turn, and the accounts of the oldest lines fill the rest.
 */
export function probedInTurn(
  asked: readonly { readonly accountId: string; readonly isDue: boolean }[],
  named: readonly string[],
  askedAfter: string,
): AccountTurns {
  const due = asked.filter(({ isDue }) => isDue).map(({ accountId }) => accountId);
  const accountIds = due.slice(0, ACCOUNTS_MAX);
  const sawAll = asked.length < HOPS_MAX;
  const accountsDue = sawAll && askedAfter === "" ? due : null;
  if (accountIds.length === ACCOUNTS_MAX) {
    return { accountIds, lastAccountId: accountIds.at(-1)!, accountsDue };
  }
  return {
    accountsDue,
    accountIds: [...new Set([...accountIds, ...named])].slice(0, ACCOUNTS_MAX),
    lastAccountId: sawAll ? "" : asked.at(-1)!.accountId,
  };
}
