import type { LogEnd } from "../../store/reader/upkeep.ts";

interface Observed {
  readonly number: number;
  readonly atMs: number;
  /** Transactions that began later took greater numbers; null until the next observation. */
  before: number | null;
}

/**
 * Up to where the log is complete. With several writers a transaction may commit entries whose
 * numbers are smaller than those that are visible already. So a number counts as settled when every
 * transaction has ended that was under way at a later observation: one that began after that took
 * greater numbers. (The later one, since a transaction takes a number of the log shortly before it
 * gets its own.)
 */
export class SettledLog {
  readonly #observed: Observed[] = [];
  #settled: number | null = null;

  /** Null until the first number is settled. */
  get number(): number | null {
    return this.#settled;
  }

  observe({ number, writes }: LogEnd, nowMs: number): void {
    if (writes === null) {
      this.#settled = number;
      return;
    }
    for (const each of this.#observed) each.before ??= writes.next;
    const isSettled = ({ before, atMs }: Observed): boolean =>
      (before !== null && before <= writes.oldest) || nowMs - atMs > UNSETTLED_MS_MAX;
    const last = this.#observed.findLastIndex(isSettled);
    for (const each of this.#observed.splice(0, last + 1)) this.#settled = each.number;
    const newest = this.#observed.at(-1)?.number ?? this.#settled ?? -1;
    if (number > newest) this.#observed.push({ number, atMs: nowMs, before: null });
  }
}

/** Far longer than the server lets a transaction of the service run. */
const UNSETTLED_MS_MAX = 120_000;
