/** The rows of what waits, one for each reason, with the places of each. */
import type { WaitingRow } from "../../../sdk/src/answers/message.ts";
import type { WaitReason } from "../../../sdk/src/answers/words.ts";

export interface WaitingReason {
  readonly reason: WaitReason;
  readonly count: number;
  /** There may be more. */
  readonly isAbout: boolean;
  /** The first of them ends then. */
  readonly endsAt: number | null;
  /** When the oldest of them was published. */
  readonly oldestAt: number | null;
  /** The largest first. */
  readonly places: readonly WaitingRow[];
}

/** The largest first. */
export function byReason(rows: readonly WaitingRow[]): WaitingReason[] {
  const found = new Map<WaitReason, WaitingRow[]>();
  for (const row of rows) found.set(row.reason, [...(found.get(row.reason) ?? []), row]);
  return [...found]
    .map(([reason, places]) => ({
      reason,
      count: places.reduce((sum, { count }) => sum + count, 0),
      isAbout: places.some(({ isAbout }) => isAbout),
      endsAt: least(places.map(({ endsAt }) => endsAt)),
      oldestAt: least(places.map(({ oldest }) => oldest?.createdAt ?? null)),
      places: places.toSorted((one, other) => other.count - one.count),
    }))
    .toSorted((one, other) => other.count - one.count);
}

function least(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The list of exactly these messages. */
export function waitingHref(reason: WaitReason | "any", line?: WaitingRow["line"]): string {
  const place = line === undefined ? "" : `&${line.kind}=${encodeURIComponent(line.name)}`;
  return `/messages?waiting=${reason}${place}`;
}
