import { dayOf } from "../../../core/model/account/daily-count.ts";
import type { AccountSwept, AccountSweepRequest, Swept, SweepRequest } from "../../store.ts";
import type { Connections } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { removeIdleKeys } from "./idle-keys.ts";
import { dropDailyCounts, removeDailyCounts } from "../tables/daily-counts.ts";
import { removeStats } from "../tables/stats.ts";
import { isAt, MESSAGE_KEY, rowsByKey } from "../group/rows-by-key.ts";
import { sweepRuns } from "./sweep-runs.ts";

/**
 * Removes what is too old or too much, a bounded page for each call. Several nodes may sweep at
 * once.
 */
export class Sweep {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  sweep({ now, countsBefore, keysBefore, pageMax }: SweepRequest): Promise<Swept> {
    return this.#connections.transaction(async (session) => {
      const [keys, days, stats] = await Promise.all([
        session.change(SQL.deduplications, [now, pageMax]),
        removeDailyCounts(session, dayOf(countsBefore), pageMax),
        removeStats(session, now, pageMax),
      ]);
      const idle = await removeIdleKeys(session, keysBefore, now, pageMax);
      const most = Math.max(keys, days, stats, idle.examined);
      return { removed: keys + days + idle.removed, more: most === pageMax };
    });
  }

  sweepAccount(request: AccountSweepRequest): Promise<AccountSwept> {
    return this.#connections.transaction(async (session) => {
      const { accountId, now, after, endedBefore, pageMax } = request;
      const [old, dropped] = await sweepLetters(session, request);
      if (dropped > 0) await dropDailyCounts(session, accountId, dayOf(now), dropped);
      if (old === pageMax || dropped === pageMax) return { removed: old, dropped, kept: 0, after };
      const runs = await sweepRuns(session, accountId, endedBefore, pageMax);
      if (runs.more) return { removed: old + runs.removed, dropped, kept: 0, after };
      const messages = await sweepMessages(session, request);
      return { ...messages, removed: old + runs.removed + messages.removed, dropped };
    });
  }
}

async function sweepLetters(
  session: Session,
  { accountId, deadLettersBefore, surplusBefore, pageMax }: AccountSweepRequest,
): Promise<[old: number, dropped: number]> {
  const old = await session.change(SQL.oldLetters, [accountId, deadLettersBefore, pageMax]);
  if (surplusBefore === null) return [old, 0];
  const { diedAt, number } = surplusBefore;
  const values = [accountId, diedAt, number, pageMax];
  return [old, await session.change(SQL.surplusLetters, values)];
}

/**
 * Old messages in order of creation, up to the first that is too young: the following are hardly
 * older, and not worth reading.
 */
async function sweepMessages(
  session: Session,
  { accountId, endedBefore, after: last, pageMax }: AccountSweepRequest,
): Promise<Omit<AccountSwept, "dropped">> {
  const rows = await session.query(SQL.nextFacts, [accountId, last, pageMax, endedBefore]);
  const young = rows.findIndex((row) => (row["created_at"] as number) >= endedBefore);
  const old = young === -1 ? rows : rows.slice(0, young);
  const ended = old.filter((row) => row["kept"] === false).map((row) => row["message_id"]);
  if (ended.length > 0) {
    const keys = [ended.map(() => accountId), ended];
    await Promise.all([
      session.query(removeFrom("log_entries"), keys),
      session.query(removeFrom("facts"), keys),
    ]);
  }
  const more = old.length === pageMax;
  const after = more ? (old.at(-1)!["message_id"] as string) : null;
  return { removed: ended.length, kept: old.length - ended.length, after };
}

// By whole keys: the server would read all rows of an account for a thousand named ones.
const removeFrom = (table: "log_entries" | "facts"): string =>
  `DELETE FROM ${table} USING ${rowsByKey(
    table,
    MESSAGE_KEY,
    "unnest($1::text[], $2::text[]) AS k (account_id, message_id)",
  )} old
   WHERE ${table}.ctid = old.ctid`;

const IS_OF_MESSAGE = isAt(MESSAGE_KEY, ["$1", "f.message_id"]);

const SQL = {
  deduplications: `DELETE FROM deduplications USING (
      SELECT ctid FROM deduplications WHERE expires_at <= $1
      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ) old
    WHERE deduplications.ctid = old.ctid`,
  oldLetters: `DELETE FROM dead_letters USING (
      SELECT ctid FROM dead_letters WHERE account_id = $1 AND died_at < $2
      ORDER BY died_at, number LIMIT $3 FOR UPDATE SKIP LOCKED
    ) old
    WHERE dead_letters.ctid = old.ctid`,
  surplusLetters: `DELETE FROM dead_letters USING (
      SELECT ctid FROM dead_letters WHERE account_id = $1 AND (died_at, number) < ($2, $3)
      ORDER BY died_at, number LIMIT $4 FOR UPDATE SKIP LOCKED
    ) old
    WHERE dead_letters.ctid = old.ctid`,
  // Messages that are live, dead letters, or ended lately are kept; read by queries that the server
  // cannot turn into reading all rows of an account.
  nextFacts: `SELECT f.message_id, f.created_at, coalesce(
      (SELECT true FROM messages WHERE ${IS_OF_MESSAGE}
        ORDER BY account_id, message_id LIMIT 1),
      (SELECT true FROM dead_letters WHERE ${IS_OF_MESSAGE}
        ORDER BY account_id, message_id LIMIT 1),
      (SELECT true FROM log_entries WHERE ${IS_OF_MESSAGE} AND at >= $4
        ORDER BY account_id, message_id, number LIMIT 1),
      false) AS kept
    FROM (
      SELECT message_id, created_at FROM facts WHERE account_id = $1 AND message_id > $2
      ORDER BY message_id LIMIT $3
    ) f
    ORDER BY f.message_id`,
} as const;
