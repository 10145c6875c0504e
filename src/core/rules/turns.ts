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
export const SUSPECT_LOOK_MS = 100;
