import {
  countsBy,
  DURATION_BUCKETS,
  durationBucket,
  type StatStep,
  startOfStep,
  type Stats,
} from "../../core/model/account/stats.ts";
import type { LogStep } from "../records/log-step.ts";
import type { StatRow } from "../records/stats-table.ts";
import type { WorkingSet } from "./working-set.ts";

type Sums = { -readonly [Name in keyof Stats]: Stats[Name] } & { durations: number[] };

interface MinuteTally {
  readonly accountId: string;
  readonly startAt: number;
  readonly sums: Sums;
  readonly hosts: Map<string, Sums>;
}

/**
 * Counts what groups add to the log, until it is written as rows of `stats`. Nothing is written for
 * a single message; a process that dies takes at most the last minute of counts with it.
 */
export class StatsTally {
  readonly totals: Stats;
  readonly #totals = emptySums();
  readonly #minutes = new Map<string, MinuteTally>();
  #last: MinuteTally | null = null;
  #unwritten: readonly StatRow[] = [];

  constructor() {
    this.totals = this.#totals;
  }

  /** Call it when the group is committed. */
  add(rows: WorkingSet): void {
    for (const step of rows.steps) this.#count(step);
  }

  get hasMore(): boolean {
    return this.#minutes.size > 0;
  }

  /** The rows of the minutes counted first, at most so many minutes; empty when there are none. */
  take(minutesMax: number): StatRow[] {
    const rows: StatRow[] = [];
    let left = minutesMax;
    for (const [key, tally] of this.#minutes) {
      if (left === 0) break;
      left -= 1;
      this.#minutes.delete(key);
      rows.push(...rowsOf(tally));
    }
    this.#last = null;
    const unwritten = this.#unwritten;
    this.#unwritten = [];
    return merged([...unwritten, ...rows]);
  }

  /** Rows that could not be written are taken with the next ones. */
  putBack(rows: readonly StatRow[]): void {
    this.#unwritten = merged([...this.#unwritten, ...rows]);
  }

  #count(step: LogStep): void {
    const { host } = step;
    const tally = this.#minuteOf(step);
    addStep(this.#totals, step);
    addStep(tally.sums, step);
    if (host === null) return;
    let sums = tally.hosts.get(host);
    if (sums === undefined) {
      if (tally.hosts.size >= HOSTS_COUNTED_MAX) return;
      tally.hosts.set(host, (sums = emptySums()));
    }
    addStep(sums, step);
  }

  #minuteOf({ entry: { accountId, at } }: LogStep): MinuteTally {
    const startAt = startOfStep(at, "minute");
    const last = this.#last;
    if (last?.accountId === accountId && last.startAt === startAt) return last;
    const key = `${accountId} ${startAt}`;
    let tally = this.#minutes.get(key);
    if (tally === undefined) {
      tally = { accountId, startAt, sums: emptySums(), hosts: new Map() };
      this.#minutes.set(key, tally);
    }
    this.#last = tally;
    return tally;
  }
}

function addStep(sums: Sums, { entry, next, attempt }: LogStep): void {
  if (entry.state === "CREATED") sums.published += 1;
  const { state } = next ?? entry;
  if (state === "DELIVERED") sums.delivered += 1;
  else if (state === "FAILED") sums.deadLettered += 1;
  else if (state === "CANCELED") sums.canceled += 1;
  if (attempt === null) return;
  const durationMs = Math.max(0, attempt.endedAt - attempt.startedAt);
  sums.attempts += 1;
  if (entry.state === "ERROR") sums.failedAttempts += 1;
  sums.durationMs += durationMs;
  sums.durations[durationBucket(durationMs)]! += 1;
}

function rowsOf({ accountId, startAt, sums, hosts }: MinuteTally): StatRow[] {
  const row = (step: StatStep, host: string, stats: Stats): StatRow => ({
    accountId,
    step,
    startAt: startOfStep(startAt, step),
    host,
    ...stats,
  });
  const whole = (["minute", "hour", "day"] as const).map((step) => row(step, "", sums));
  return [...whole, ...worthKeeping(hosts).map(([host, each]) => row("hour", host, each))];
}

/** The busiest hosts, and those with most failures. */
function worthKeeping(hosts: ReadonlyMap<string, Sums>): [string, Sums][] {
  const first = (count: keyof Stats & ("attempts" | "failedAttempts")): [string, Sums][] =>
    [...hosts]
      .filter(([, sums]) => sums[count] > 0)
      .toSorted(([, one], [, other]) => other[count] - one[count])
      .slice(0, HOSTS_KEPT_OF_EACH);
  return [...new Map([...first("attempts"), ...first("failedAttempts")])];
}

/** Each row once, since a statement may change a row once. */
function merged(rows: readonly StatRow[]): StatRow[] {
  const byKey = new Map<string, StatRow>();
  for (const row of rows) {
    const key = [row.accountId, row.step, row.startAt, row.host].join(" ");
    const known = byKey.get(key);
    byKey.set(key, known === undefined ? row : { ...row, ...sumOf(known, row) });
  }
  return [...byKey.values()];
}

function sumOf(one: Stats, other: Stats): Stats {
  return {
    ...countsBy((name) => one[name] + other[name]),
    durations: one.durations.map((count, index) => count + other.durations[index]!),
  };
}

function emptySums(): Sums {
  return { ...countsBy(() => 0), durations: Array<number>(DURATION_BUCKETS).fill(0) };
}

/** Hosts of an account that are counted in a minute. */
const HOSTS_COUNTED_MAX = 200;
const HOSTS_KEPT_OF_EACH = 10;
