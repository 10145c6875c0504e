import { type DailyCount, dayOf } from "../../../core/model/account/stats.ts";
import type { LogEntry } from "../../../core/model/message/log-entry.ts";
import { createIds } from "../../../platform/ids.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { tableOf } from "../../records/table.ts";

export interface DailyTally extends DailyCount {
  readonly accountId: string;
}

/** What the log entries of a group add to the counts of their days, in the order of their rows. */
export function dailyTally({ steps }: WorkingSet): DailyTally[] {
  const tallies = new Map<string, { -readonly [Name in keyof DailyTally]: DailyTally[Name] }>();
  const of = ({ accountId, at }: LogEntry) => {
    const day = dayOf(at);
    const key = `${accountId} ${day}`;
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = { accountId, day, messages: 0, delivered: 0, failed: 0, dropped: 0 };
      tallies.set(key, tally);
    }
    return tally;
  };
  for (const { entry, next } of steps) {
    if (entry.state === "CREATED") of(entry).messages += 1;
    const { state } = next ?? entry;
    if (state === "DELIVERED") of(entry).delivered += 1;
    else if (state === "FAILED") of(entry).failed += 1;
  }
  // Every transaction locks these rows in this order, so that none deadlock.
  return [...tallies.values()].toSorted((a, b) =>
    a.accountId < b.accountId ? -1 : a.accountId > b.accountId ? 1 : a.day - b.day,
  );
}

/** Besides these a row has its `writer`. */
export const DAILY_COUNTS = tableOf<
  Pick<DailyTally, "accountId" | "day">,
  Omit<DailyTally, "dropped">
>("daily_counts AS c", ["accountId", "day"], {
  accountId: "text",
  day: "int",
  messages: "bigint",
  delivered: "bigint",
  failed: "bigint",
});

/** Names for the counts of this node's groups, unique among all nodes. */
export function drawWriters(count: number): string[] {
  const node = createIds().secret(WRITER_CHARACTERS);
  return Array.from({ length: count }, (_, lane) => `${node}-${lane}`);
}

const WRITER_CHARACTERS = 12;
