import type { Message } from "../../../core/model/message/message.ts";
import type { RunEntry } from "../../../core/model/workflow/run-entry.ts";
import type { RunFilter } from "../../../core/model/workflow/run-filter.ts";
import type { RunKey, RunState } from "../../../core/model/workflow/run.ts";
import type { Waiter, WaiterKey } from "../../../core/model/workflow/waiter.ts";
import type { ListedEntry } from "../../../core/rules/workflow/entry-list.ts";
import { matchesRun } from "../../../core/views/matches-run.ts";
import type { RunRef } from "../../../core/acts/run.ts";
import { PageBuilder } from "../../reads/page.ts";
import type { Slice, SliceRequest, StoredRun } from "../../reader.ts";
import { toListedEntry, toRunEntry, toRunState, toWaiter } from "../../records/run-records.ts";
import { sentBody } from "../../records/sent-body.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";

export async function readRun(session: Session, ref: RunRef): Promise<StoredRun | null> {
  const { accountId, runId, createdAt } = ref;
  const [row] = await session.query(SQL.run, [accountId, runId, createdAt ?? null]);
  if (row === undefined) return null;
  return { state: toRunState(row), response: row["response"] as Uint8Array | null };
}

export async function readRunEntries(
  session: Session,
  { accountId, runId, createdAt }: RunKey,
  after = -1,
  bytesMax?: number,
): Promise<RunEntry[]> {
  const values = [accountId, runId, createdAt, after];
  const rows = await (bytesMax === undefined
    ? session.query(SQL.entries, values)
    : session.query(SQL.entriesWithin, [...values, bytesMax]));
  return rows.map(toRunEntry);
}

export async function hasRunStep(
  session: Session,
  { accountId, runId, createdAt }: RunKey,
  stepKey: string,
): Promise<boolean> {
  const rows = await session.query(SQL.step, [accountId, runId, createdAt, stepKey]);
  return rows.length > 0;
}

/**
 * Completes the messages to send: a message to the endpoint of a run carries the run's entries up
 * to its own.
 */
export async function readSent<Read extends { message: Message; body: Uint8Array }>(
  session: Session,
  messages: readonly Read[],
): Promise<Read[]> {
  const steps = messages.filter(({ message }) => message.kind === "step");
  if (steps.length === 0) return [...messages];
  const columns = columnsOf(
    steps,
    ({ message }) => message.accountId,
    ({ message }) => message.run?.runId,
    ({ message }) => message.run?.createdAt,
    ({ message }) => message.run?.ordinal,
  );
  const entries = new Map<string, ListedEntry[]>(
    steps.map(({ message }) => [message.messageId, []]),
  );
  for (const row of await session.query(SQL.sent, columns)) {
    const { messageId } = steps[(row["nth"] as number) - 1]!.message;
    entries.get(messageId)?.push(toListedEntry(row));
  }
  return messages.map((read) => ({
    ...read,
    body: sentBody(read.message, read.body, () => entries.get(read.message.messageId) ?? []),
  }));
}

export async function listActiveRuns(
  session: Session,
  accountId: string,
  filter: RunFilter,
  page: SliceRequest,
): Promise<Slice<RunState>> {
  const builder = new PageBuilder<RunState>(page);
  const rows = await session.query(SQL.active, [accountId, page.after ?? "", page.rowsMax]);
  for (const row of rows) {
    const state = toRunState(row);
    const offered = builder.offer(state.runId, () =>
      matchesRun(filter, state.run)
        ? { bytes: (row["facts"] as string).length, read: () => state }
        : null,
    );
    if (!offered) return builder.finish();
  }
  return rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
}

export async function listWaiters(
  session: Session,
  accountId: string,
  eventId: string,
  after: WaiterKey | null,
  count: number,
): Promise<Waiter[]> {
  const { runId = "", createdAt = 0, stepId = 0 } = after ?? {};
  const values = [accountId, eventId, runId, createdAt, stepId, count];
  return (await session.query(SQL.waiters, values)).map(toWaiter);
}

export async function dueWaiters(session: Session, now: number, count: number): Promise<Waiter[]> {
  return (await session.query(SQL.dueWaiters, [now, count])).map(toWaiter);
}

export async function nextDeadlineAt(session: Session): Promise<number | null> {
  const [row] = await session.query(SQL.nextDeadline);
  return (row?.["deadline_at"] as number | undefined) ?? null;
}

/** More are read another time. */
const ENTRIES_MAX = 1_000;

const SQL = {
  run: `SELECT r.*, facts, response
    FROM runs r JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = $1 AND run_id = $2 AND ($3::bigint IS NULL OR created_at = $3)
    ORDER BY created_at DESC LIMIT 1`,
  entries: `SELECT * FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal > $4 ORDER BY ordinal`,
  // The length of a body is known without reading it.
  entriesWithin: `SELECT * FROM (
      SELECT *, sum(octet_length(body)) OVER in_order AS bytes, row_number() OVER in_order AS nth
      FROM (SELECT * FROM run_entries
        WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal > $4
        ORDER BY ordinal LIMIT ${ENTRIES_MAX}) AS found
      WINDOW in_order AS (ORDER BY ordinal)) AS numbered
    WHERE bytes <= $5 OR nth = 1 ORDER BY ordinal`,
  step: `SELECT 1 FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND step_key = $4`,
  sent: `SELECT k.nth, e.kind, e.message_id, e.body
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[])
      WITH ORDINALITY AS k (account_id, run_id, created_at, ordinal, nth)
    CROSS JOIN LATERAL (
      SELECT kind, message_id, body FROM run_entries
      WHERE account_id = k.account_id AND run_id = k.run_id AND created_at = k.created_at
        AND ordinal <= k.ordinal
      ORDER BY ordinal
    ) e`,
  // runs_active
  active: `SELECT r.*, facts
    FROM runs r JOIN run_facts USING (account_id, run_id, created_at)
    WHERE account_id = $1 AND run_id > $2 AND phase = 0 ORDER BY run_id LIMIT $3`,
  waiters: `SELECT record FROM waiters
    WHERE account_id = $1 AND event_id = $2 AND (run_id, created_at, step_id) > ($3, $4, $5)
    ORDER BY run_id, created_at, step_id LIMIT $6`,
  // waiters_due
  dueWaiters: "SELECT record FROM waiters WHERE deadline_at <= $1 ORDER BY deadline_at LIMIT $2",
  nextDeadline: "SELECT deadline_at FROM waiters ORDER BY deadline_at LIMIT 1",
} as const;
