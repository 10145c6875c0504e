import { dayOf, STAT_RETENTION_MS, STAT_STEPS_MS } from "../../core/model/account/stats.ts";
import { change, changes, type Key, type Reading, rowsOf } from "../reads/reading.ts";
import type { AccountSwept, AccountSweepRequest, Swept, SweepRequest } from "../store.ts";

/** The statements that are written for each driver; those that remove old rows end with their number. */
export interface SweepSql {
  readonly deduplications: string;
  readonly days: string;
  /** Steps of `$1` before `$2`, of hosts or of all together. */
  readonly stats: string;
  readonly backlog: string;
  readonly oldLetters: string;
  readonly surplusLetters: string;
  /** Counts dead letters that were removed because there were too many. */
  readonly countDropped: string;
  /** Runs that ended before `$2` and are not dead letters. */
  readonly oldRuns: string;
  readonly removeRunEntries: string;
  readonly removeRunFacts: string;
  readonly removeRuns: string;
  /**
   * Messages after the cursor `$2` in the order of their creation, at most `$3`, and whether each is
   * kept: it is live, a dead letter, or ended after `$4`, or a report that is kept begins in its
   * pieces. A row without `created_at` is no message.
   */
  readonly nextMessages: string;
  readonly removeLog: string;
  readonly removeFacts: string;
  readonly removePieces: string;
}

/** Entries of runs that one call removes at most, so that a transaction stays short. */
const RUN_ENTRIES_SWEPT_MAX = 5_000;

/** What was done about the flow-control keys that are no longer used. */
export interface IdleKeysSwept {
  readonly removed: number;
  readonly examined: number;
}

/** Removes old rows that belong to no single account, a bounded page for each call. */
export function* sweep(
  sql: SweepSql,
  { now, countsBefore, pageMax }: SweepRequest,
  idle: IdleKeysSwept,
): Reading<Swept> {
  const ages = statAges(now);
  const [keys = 0, days = 0, ...stats] = yield* changes([
    { text: sql.deduplications, values: [now, pageMax] },
    { text: sql.days, values: [dayOf(countsBefore), pageMax] },
    ...ages.map(({ stepMs, before, isOfHost }) => ({
      text: sql.stats,
      values: [stepMs, before, isOfHost, pageMax],
    })),
    ...ages
      .filter(({ isOfHost }) => !isOfHost)
      .map(({ stepMs, before }) => ({ text: sql.backlog, values: [stepMs, before, pageMax] })),
  ]);
  const most = Math.max(keys, days, ...stats, idle.examined);
  return { removed: keys + days + idle.removed, more: most === pageMax };
}

interface StatAge {
  readonly stepMs: number;
  readonly isOfHost: boolean;
  readonly before: number;
}

function statAges(now: number): StatAge[] {
  const age = (step: keyof typeof STAT_STEPS_MS): StatAge => ({
    stepMs: STAT_STEPS_MS[step],
    isOfHost: false,
    before: now - STAT_RETENTION_MS[step],
  });
  const ofHosts = { ...age("hour"), isOfHost: true, before: now - STAT_RETENTION_MS.host };
  return [age("minute"), age("hour"), age("day"), ofHosts];
}

/** Removes what is too old or too much of one account, a bounded page for each call. */
export function* sweepAccount(sql: SweepSql, request: AccountSweepRequest): Reading<AccountSwept> {
  const { accountId, now, after, deadLettersBefore, surplusBefore, pageMax } = request;
  const old = yield* change(sql.oldLetters, [accountId, deadLettersBefore, pageMax]);
  let dropped = 0;
  if (surplusBefore !== null) {
    const { diedAt, number } = surplusBefore;
    dropped = yield* change(sql.surplusLetters, [accountId, diedAt, number, pageMax]);
  }
  if (dropped > 0) yield* change(sql.countDropped, [accountId, dayOf(now), dropped]);
  if (old === pageMax || dropped === pageMax) return { removed: old, dropped, kept: 0, after };
  const runs = yield* sweepRuns(sql, request);
  if (runs.more) return { removed: old + runs.removed, dropped, kept: 0, after };
  const messages = yield* sweepMessages(sql, request);
  return { ...messages, removed: old + runs.removed + messages.removed, dropped };
}

/** Removes runs up to a number of entries in total, and at least one run. */
function* sweepRuns(
  sql: SweepSql,
  { accountId, endedBefore, pageMax }: AccountSweepRequest,
): Reading<Swept> {
  const rows = yield* rowsOf(sql.oldRuns, [accountId, endedBefore, pageMax]);
  let entries = 0;
  const old = rows.filter((row, index) => {
    entries += row["next_ordinal"] as number;
    return index === 0 || entries <= RUN_ENTRIES_SWEPT_MAX;
  });
  const keys = old.map((row) => [accountId, row["run_id"] as string, row["created_at"] as number]);
  yield* remove([sql.removeRunEntries, sql.removeRunFacts, sql.removeRuns], keys);
  return { removed: old.length, more: old.length < rows.length || rows.length === pageMax };
}

/**
 * Old messages in the order of their creation, up to the first that is too young: the following are
 * hardly older, and not worth reading.
 */
function* sweepMessages(
  sql: SweepSql,
  { accountId, endedBefore, after, pageMax }: AccountSweepRequest,
): Reading<Omit<AccountSwept, "dropped">> {
  const rows = yield* rowsOf(sql.nextMessages, [accountId, after, pageMax, endedBefore]);
  const young = rows.findIndex((row) => ((row["created_at"] ?? -1) as number) >= endedBefore);
  const old = young === -1 ? rows : rows.slice(0, young);
  const messages = old.filter((row) => row["created_at"] !== null);
  const ended = messages.filter((row) => !row["kept"]);
  const keys = ended.map((row) => [accountId, row["message_id"] as string]);
  yield* remove([sql.removeLog, sql.removeFacts, sql.removePieces], keys);
  const next = old.length === pageMax ? String(old.at(-1)!["cursor"]) : null;
  return { removed: ended.length, kept: messages.length - ended.length, after: next };
}

function* remove(texts: readonly string[], keys: readonly Key[]): Reading<void> {
  if (keys.length > 0) yield* changes(texts.map((text) => ({ text, values: [], keys })));
}
