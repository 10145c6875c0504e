/** Entries of runs that one call removes at most, so that a transaction stays short. */
export const RUN_ENTRIES_SWEPT_MAX = 5_000;

export interface RunsSwept {
  readonly removed: number;
  readonly more: boolean;
}
