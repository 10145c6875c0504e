import { USE_NOTED_MS } from "../../core/rules/line/lines.ts";
import type { AccountRecord } from "../../core/model/account/account.ts";
import type { DeadLetterKey } from "../../core/model/message/dead-letter.ts";
import { ROWS_READ_MAX } from "../../store/reader/page.ts";
import type { AccountSwept, AccountSweepRequest, Store } from "../../store/store.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EngineOptions } from "../engine-options.ts";

export interface SweepOptions extends Pick<EngineOptions, "store" | "log" | "limits"> {
  readonly clock: Pick<Clock, "now">;
  /** Where the next round continues in accounts that this one did not finish. */
  readonly cursors: Map<string, string>;
}

/** Deletes expired data of all accounts; yields after each piece, so the caller sets the pace. */
export async function* sweepRound(options: SweepOptions): AsyncGenerator<void, void> {
  const { store, clock } = options;
  for (let more = true; more;) {
    const now = clock.now();
    const before = { countsBefore: now - COUNTS_KEPT_MS, keysBefore: now - KEYS_KEPT_MS };
    ({ more } = await store.sweep({ now, ...before, pageMax: PAGE_MAX }));
    yield;
  }
  for (let after: string | undefined = ""; after !== undefined;) {
    const accounts: readonly AccountRecord[] = await store.reader.accounts.list(
      after,
      ACCOUNTS_MAX,
    );
    yield* sweepAccounts(options, accounts);
    after = accounts.length < ACCOUNTS_MAX ? undefined : accounts.at(-1)!.accountId;
  }
}

/** Most accounts have no old data: one query finds those that do. */
async function* sweepAccounts(
  options: SweepOptions,
  accounts: readonly AccountRecord[],
): AsyncGenerator<void, void> {
  const { store, clock } = options;
  const isTight = await isRoomTight(options);
  const oldest = await store.reader.upkeep.oldest(accounts.map(({ accountId }) => accountId));
  const ages = new Map(oldest.map((each) => [each.accountId, each]));
  for (const account of accounts) {
    if (account.deletingSince !== undefined) continue;
    const { messageAt = null, deadLetterAt = null } = ages.get(account.accountId) ?? {};
    if (messageAt === null && deadLetterAt === null) continue;
    const request = keeping(account, clock.now(), isTight);
    const surplusBefore = deadLetterAt === null ? null : await findSurplus(store, account);
    const isDue =
      surplusBefore !== null ||
      (messageAt ?? Infinity) < request.endedBefore ||
      (deadLetterAt ?? Infinity) < request.deadLettersBefore;
    if (isDue) yield* sweepAccount(options, { ...request, surplusBefore });
  }
  yield;
}

/**
 * Old messages that still wait or are dead letters stay, and are read again in every round. A round
 * skips a bounded number of them, and the next one continues there.
 */
async function* sweepAccount(
  { store, log, cursors }: SweepOptions,
  request: Omit<AccountSweepRequest, "after">,
): AsyncGenerator<void, void> {
  const { accountId } = request;
  let after: string | null = cursors.get(accountId) ?? "";
  let dropped = 0;
  cursors.delete(accountId);
  for (let idlePages = 0; after !== null && idlePages < IDLE_PAGES_MAX;) {
    const swept: AccountSwept = await store.sweepAccount({ ...request, after });
    dropped += swept.dropped;
    ({ after } = swept);
    if (swept.kept >= swept.removed + swept.dropped) idlePages += 1;
    yield;
  }
  if (after !== null) cursors.set(accountId, after);
  if (dropped > 0) {
    log.warn("dead letters beyond max_dlq_size were removed, the oldest first", {
      accountId,
      dropped,
    });
  }
}

/** Ended messages stay readable for the retention time, or less when storage is short. */
function keeping({ accountId, limits }: AccountRecord, now: number, isTight: boolean) {
  const keptMs = isTight ? KEPT_MS_LEAST : Math.max(KEPT_MS_LEAST, limits.logRetentionMs);
  return {
    accountId,
    now,
    endedBefore: now - keptMs,
    deadLettersBefore: now - limits.deadLetterRetentionMs,
    pageMax: PAGE_MAX,
  };
}

/** The oldest dead letter that an account may keep, when it has older ones. */
async function findSurplus(
  { reader }: Store,
  { accountId, limits }: AccountRecord,
): Promise<DeadLetterKey | null> {
  if (limits.deadLettersMax === null) return null;
  if (limits.deadLettersMax === 0) return { accountId, ...BEYOND_ALL };
  let position: DeadLetterKey | null = null;
  for (let left = limits.deadLettersMax; left > 0; left -= ROWS_READ_MAX) {
    const steps = Math.min(left, ROWS_READ_MAX);
    position = await reader.upkeep.olderDeadLetter(accountId, position, steps);
    if (position === null) return null;
  }
  return (await reader.upkeep.olderDeadLetter(accountId, position, 1)) === null ? null : position;
}

async function isRoomTight({ store, limits }: SweepOptions): Promise<boolean> {
  const { usedBytes } = await store.reader.upkeep.size();
  return usedBytes !== null && usedBytes > limits.logBytesMax;
}

/** A few milliseconds of the store's time, since publishers wait meanwhile. */
const PAGE_MAX = 100;
/** Pages of an account in a round of which no less stayed than was deleted. */
const IDLE_PAGES_MAX = 250;
const ACCOUNTS_MAX = 200;
/** Five weeks of counts are enough for a month's statistics. */
const COUNTS_KEPT_MS = 35 * 86_400_000;
/** An unused flow-control key is kept for a day after its last recorded use. */
const KEYS_KEPT_MS = 86_400_000 + USE_NOTED_MS;
/** However short storage is, ended messages stay readable for this long. */
const KEPT_MS_LEAST = 10 * 60_000;
const BEYOND_ALL = { diedAt: Number.MAX_SAFE_INTEGER, number: 0 };
