import type { RunState } from "../../../core/model/workflow/run.ts";
import type { RunNeed } from "../../../core/rule.ts";
import { toStoredEvent, toWaiter } from "../../records/run-records.ts";
import { RUN_KEY } from "../../records/run-tables.ts";
import { runKey, type RunRows } from "../../group/run-rows.ts";
import { arraysOf } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { hasKey } from "../group/rows-by-key.ts";
import { namesOf } from "../../records/table.ts";

/** A run that was found, and what the rules need of it. */
export interface FoundNeed {
  readonly need: RunNeed;
  readonly state: RunState;
}

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
  const keys = arraysOf(
    RUN_KEY,
    wanted.map((one) => one.found.state),
  );
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

const KEY = namesOf(RUN_KEY);

const SQL = {
  waiters: `SELECT w.record, e.message_id AS result_id
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      AS k (account_id, run_id, created_at, event_id)
    CROSS JOIN LATERAL (
      SELECT step_id, record FROM waiters WHERE ${hasKey([...KEY, "event_id"])} OFFSET 0
    ) w
    LEFT JOIN LATERAL (
      SELECT message_id FROM run_entries
      WHERE ${hasKey(KEY)} AND step_key = 'r:' || w.step_id OFFSET 0
    ) e ON true`,
  events: `SELECT e.*
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::boolean[], $6::int[])
      AS k (account_id, run_id, created_at, event_id, is_hook, count)
    CROSS JOIN LATERAL (
      SELECT * FROM run_events
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at
        AND event_id = k.event_id AND is_hook = k.is_hook
      ORDER BY number LIMIT k.count
    ) e`,
} as const;
