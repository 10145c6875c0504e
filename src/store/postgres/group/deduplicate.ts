import type { Act } from "../../../core/rules/registry.ts";
import type { Deduplication } from "../../../core/change.ts";
import { HELD_MS_MAX, isHeld } from "../../../core/rules/message/deduplication.ts";
import type { DueTime } from "../../group/due-time.ts";
import { DEDUPLICATIONS } from "../../records/message-tables.ts";
import { allColumns } from "../../records/table.ts";
import { pairKey } from "../../group/row-keys.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { arraysOf } from "./table-statements.ts";
import type { Session } from "../driver/conversation.ts";

interface KeyRequest {
  /** What the first publish with this key would store. */
  readonly deduplication: Deduplication;
  /** The first and the last instant at which the rules of the group test the key. */
  firstAt: number;
  lastAt: number;
}

/**
 * Takes the deduplication keys that a group wants, before anything else and in one order, so that
 * one of several groups gets a key and the others wait for it. Loads the keys that other messages
 * hold; returns those it took, which the rules find free and take for the same message.
 */
export async function takeDeduplications(
  session: Session,
  acts: readonly Act[],
  rows: WorkingSet,
): Promise<Map<string, Deduplication>> {
  const requests = keyRequestsOf(acts, rows.due);
  if (requests.size === 0) return new Map();
  await loadHeld(session, requests, rows);
  if (requests.size === 0) return new Map();
  const taken = await take(session, requests);
  for (const key of taken.keys()) requests.delete(key);
  if (requests.size > 0) {
    for (const holder of await holders(session, requests)) rows.loadDeduplication(holder);
  }
  return taken;
}

/** In due time, as the rules read it. */
function keyRequestsOf(acts: readonly Act[], due: DueTime): Map<string, KeyRequest> {
  const requests = new Map<string, KeyRequest>();
  for (const act of acts) {
    if (act.rule !== "publish") continue;
    due.begin(act.at);
    const at = due.of(act.at);
    for (const { message, deduplication } of act.items) {
      if (deduplication === null) continue;
      const { accountId, messageId } = message.state;
      const key = pairKey(accountId, deduplication.key);
      const request = requests.get(key);
      if (request === undefined) {
        const expiresAt = due.of(deduplication.expiresAt);
        const first = { accountId, messageId, key: deduplication.key, expiresAt };
        requests.set(key, { deduplication: first, firstAt: at, lastAt: at });
      } else {
        request.firstAt = Math.min(request.firstAt, at);
        request.lastAt = Math.max(request.lastAt, at);
      }
    }
  }
  return requests;
}

/** A key held until after the group's last publish needs no lock: it cannot be taken before. */
async function loadHeld(
  session: Session,
  requests: Map<string, KeyRequest>,
  rows: WorkingSet,
): Promise<void> {
  for (const holder of await holders(session, requests)) {
    const key = pairKey(holder.accountId, holder.key);
    if (!isHeld(holder, requests.get(key)?.lastAt ?? Infinity)) continue;
    rows.loadDeduplication(holder);
    requests.delete(key);
  }
}

async function holders(
  session: Session,
  wishes: ReadonlyMap<string, KeyRequest>,
): Promise<Deduplication[]> {
  const wanted = Array.from(wishes.values(), ({ deduplication }) => deduplication);
  const keys = arraysOf(DEDUPLICATIONS.key, wanted);
  return (await session.query(SQL.read, keys)).map(DEDUPLICATIONS.read);
}

/** Rows held by other messages are locked too, so that they can be read as they will stay. */
async function take(
  session: Session,
  wishes: ReadonlyMap<string, KeyRequest>,
): Promise<Map<string, Deduplication>> {
  const sorted = [...wishes.keys()].toSorted().map((key) => wishes.get(key) as KeyRequest);
  const firstAt = Math.min(...sorted.map((request) => request.firstAt));
  const wanted = arraysOf(
    allColumns(DEDUPLICATIONS),
    sorted.map(({ deduplication }) => deduplication),
  );
  const values = [...wanted, firstAt, HELD_MS_MAX];
  const taken = (await session.query(SQL.take, values)).map(DEDUPLICATIONS.read);
  return new Map(taken.map((each) => [pairKey(each.accountId, each.key), each]));
}

const SQL = {
  read: `SELECT d.* FROM deduplications d
    JOIN unnest($1::text[], $2::text[]) AS k (account_id, key) USING (account_id, key)`,
  take: `INSERT INTO deduplications (account_id, key, message_id, expires_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
    ON CONFLICT (account_id, key)
    DO UPDATE SET message_id = excluded.message_id, expires_at = excluded.expires_at
    WHERE deduplications.expires_at <= $5 OR deduplications.expires_at > $5 + $6
    RETURNING *`,
} as const;
