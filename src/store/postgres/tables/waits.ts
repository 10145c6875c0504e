import type { WaiterKey } from "../../../core/model/workflow/waiter.ts";
import { toStoredEvent, toWaiter } from "../../records/run-records.ts";
import { runKey, type RunRows } from "../../group/run-rows.ts";
import { packBodies } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { type FoundNeed, keyColumns } from "./run-keys.ts";

/** Waiters for the requested events, and as many stored notifications as there are requests. */
export async function loadWaits(
  session: Session,
  found: readonly FoundNeed[],
  runs: RunRows,
): Promise<void> {
  const counts = new Map<string, WantedEvents>();
  for (const one of found) {
    const { eventId, isHook = false } = one.need;
    if (eventId === undefined) continue;
    const key = `${runKey(one.state)}\0${eventId}\0${isHook}`;
    counts.set(key, { found: one, eventId, isHook, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  if (counts.size === 0) return;
  const wanted = [...counts.values()];
  const keys = keyColumns(wanted.map((one) => one.found.state));
  const eventIds = wanted.map(({ eventId }) => eventId);
  const isHook = wanted.map((one) => one.isHook);
  const counted = wanted.map(({ count }) => count);
  const [waiters, events] = await Promise.all([
    session.query(SQL.waiters, [...keys, eventIds]),
    session.query(SQL.events, [...keys, eventIds, isHook, counted]),
  ]);
  for (const row of waiters) runs.loadWaiter(toWaiter(row), row["result_id"] as string | null);
  for (const row of events) runs.loadEvent(toStoredEvent(row));
}

interface WantedEvents {
  readonly found: FoundNeed;
  readonly eventId: string;
  readonly isHook: boolean;
  /** As many as there are requests. */
  readonly count: number;
}

export async function writeWaits(session: Session, runs: RunRows): Promise<void> {
  const put = async (sql: string, columns: unknown[]): Promise<void> => {
    if ((columns[0] as unknown[]).length > 0) await session.query(sql, columns);
  };
  const taken = [...runs.eventsTaken.values()];
  const stored = [...runs.eventsStored.values()];
  const added = [...runs.waitersAdded.values()];
  const ended = [...runs.ended.values()].map(({ run }) => run);
  await Promise.all([
    put(SQL.removeWaiter, waiterColumns(runs.waitersRemoved.values())),
    put(SQL.addWaiters, [
      ...waiterColumns(added),
      added.map(({ dueAt }) => dueAt),
      added.map((waiter) => JSON.stringify({ ...waiter, dueAt: undefined })),
    ]),
    put(SQL.takeEvents, [
      ...keyColumns(taken),
      taken.map(({ eventId }) => eventId),
      taken.map(({ number }) => number),
    ]),
    put(SQL.storeEvents, [
      ...keyColumns(stored),
      stored.map(({ eventId }) => eventId),
      stored.map(({ number }) => number),
      stored.map(({ isHook }) => isHook),
      ...packBodies(stored.map(({ body }) => body)),
    ]),
    put(SQL.removeWaiters, keyColumns(ended)),
    put(SQL.removeEvents, keyColumns(ended.filter(({ storedEvents }) => storedEvents > 0))),
  ]);
}

function waiterColumns(keys: Iterable<WaiterKey>): unknown[] {
  const rows = [...keys];
  return [
    ...keyColumns(rows),
    rows.map(({ eventId }) => eventId),
    rows.map(({ stepId }) => stepId),
  ];
}

const SQL = {
  waiters: `SELECT w.record, e.message_id AS result_id
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      AS k (account_id, run_id, created_at, event_id)
    JOIN waiters w USING (account_id, run_id, created_at, event_id)
    LEFT JOIN run_entries e ON e.account_id = w.account_id AND e.run_id = w.run_id
      AND e.created_at = w.created_at AND e.step_key = 'r:' || w.step_id`,
  events: `SELECT e.*
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::boolean[], $6::int[])
      AS k (account_id, run_id, created_at, event_id, is_hook, count)
    CROSS JOIN LATERAL (
      SELECT * FROM run_events
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at
        AND event_id = k.event_id AND is_hook = k.is_hook
      ORDER BY number LIMIT k.count
    ) e`,
  addWaiters: `INSERT INTO waiters (account_id, run_id, created_at, event_id, step_id, deadline_at,
      record)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::int[],
      $6::bigint[], $7::text[])`,
  removeWaiter: `DELETE FROM waiters
    USING unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::int[])
      AS k (account_id, run_id, created_at, event_id, step_id)
    WHERE waiters.account_id = k.account_id AND waiters.event_id = k.event_id
      AND waiters.run_id = k.run_id AND waiters.created_at = k.created_at
      AND waiters.step_id = k.step_id`,
  // waiters_run
  removeWaiters: `DELETE FROM waiters
    USING unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, run_id, created_at)
    WHERE waiters.account_id = k.account_id AND waiters.run_id = k.run_id
      AND waiters.created_at = k.created_at`,
  storeEvents: `INSERT INTO run_events (account_id, run_id, created_at, event_id, number, is_hook,
      body)
    SELECT account_id, run_id, created_at, event_id, number, is_hook,
      substr($7::bytea, start, length)
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::int[], $6::boolean[],
      $8::int[], $9::int[])
      AS e (account_id, run_id, created_at, event_id, number, is_hook, start, length)`,
  takeEvents: `DELETE FROM run_events
    USING unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::int[])
      AS k (account_id, run_id, created_at, event_id, number)
    WHERE run_events.account_id = k.account_id AND run_events.run_id = k.run_id
      AND run_events.created_at = k.created_at AND run_events.event_id = k.event_id
      AND run_events.number = k.number`,
  removeEvents: `DELETE FROM run_events
    USING unnest($1::text[], $2::text[], $3::bigint[]) AS k (account_id, run_id, created_at)
    WHERE run_events.account_id = k.account_id AND run_events.run_id = k.run_id
      AND run_events.created_at = k.created_at`,
} as const;
