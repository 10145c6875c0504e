import { type DailyCount, dayOf } from "../../core/model/account/daily-count.ts";
import type { Instant } from "../../core/model/message/message.ts";
import type { Row } from "../records/rows.ts";
import type { WorkingSet } from "./working-set.ts";

export interface DailyTally extends DailyCount {
  readonly accountId: string;
}

/**
 * What a group adds to the counts of the day: one row for each account, in the order of their ids.
 */
export function dailyTally(rows: WorkingSet, now: Instant): DailyTally[] {
  const tallies = new Map<string, { -readonly [Name in keyof DailyTally]: DailyTally[Name] }>();
  const of = (accountId: string) => {
    let tally = tallies.get(accountId);
    if (tally === undefined) {
      tally = { accountId, day: dayOf(now), messages: 0, delivered: 0, failed: 0, dropped: 0 };
      tallies.set(accountId, tally);
    }
    return tally;
  };
  for (const { state } of rows.added) of(state.accountId).messages += 1;
  for (const { entry, next } of rows.steps) {
    const { accountId, state } = next ?? entry;
    if (state === "DELIVERED") of(accountId).delivered += 1;
    else if (state === "FAILED") of(accountId).failed += 1;
  }
  // Every transaction locks these rows in this order, so that none deadlock.
  return [...tallies.values()].toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1));
}

export function toDailyCount(row: Row): DailyCount {
  return {
    day: row["day"] as number,
    messages: Number(row["messages"]),
    delivered: Number(row["delivered"]),
    failed: Number(row["failed"]),
    dropped: Number(row["dropped"]),
  };
}
