import type { Instant } from "../../core/model/message.ts";
import type { Schedule, ScheduleKey } from "../../core/model/schedule.ts";
import type { SchedulePlace, StoredSchedule } from "../reader.ts";
import { toSchedule, toStoredSchedule } from "../rows.ts";
import { scheduleKey } from "../row-keys.ts";
import type { WorkingSet } from "../working-set.ts";
import { columnsOf, packBodies } from "./columns.ts";
import type { Session } from "./connection.ts";

/** Schedules, each with the body of its messages, which is not read to decide. */
export async function loadSchedules(
  session: Session,
  keys: readonly ScheduleKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(SQL.lock, keyColumns(keys))) {
    rows.schedules.load(toSchedule(row));
  }
}

export async function readSchedule(
  session: Session,
  { accountId, scheduleId }: ScheduleKey,
): Promise<StoredSchedule | null> {
  const [row] = await session.query(SQL.read, [accountId, scheduleId]);
  return row ? toStoredSchedule(row) : null;
}

export async function listSchedules(
  session: Session,
  accountId: string,
  after: string,
  count: number,
  bytesMax: number,
): Promise<StoredSchedule[]> {
  const rows = await session.query(SQL.list, [accountId, after, count, bytesMax]);
  return rows.map(toStoredSchedule);
}

export async function dueSchedules(
  session: Session,
  now: Instant,
  count: number,
  bytesMax: number,
): Promise<StoredSchedule[]> {
  return (await session.query(SQL.due, [now, count, bytesMax])).map(toStoredSchedule);
}

export async function laterSchedules(
  session: Session,
  { nextAt, accountId, scheduleId }: SchedulePlace,
  count: number,
): Promise<Schedule[]> {
  const rows = await session.query(SQL.later, [nextAt, accountId, scheduleId, count]);
  return rows.map(toSchedule);
}

/** When the first one fires; null when none ever will. */
export async function nextScheduleAt(session: Session): Promise<Instant | null> {
  const [row] = await session.query(SQL.nextAt);
  return (row?.["next_at"] ?? null) as Instant | null;
}

export async function writeSchedules(
  session: Session,
  { schedules, scheduleBodies }: WorkingSet,
): Promise<void> {
  const whole: { schedule: Schedule; body: Uint8Array }[] = [];
  const changed: Schedule[] = [];
  for (const schedule of schedules.put.values()) {
    const body = scheduleBodies.get(scheduleKey(schedule));
    if (body === undefined) changed.push(schedule);
    else whole.push({ schedule, body });
  }
  if (whole.length > 0) {
    const columns = recordColumns(whole.map(({ schedule }) => schedule));
    await session.query(SQL.put, [...columns, ...packBodies(whole.map(({ body }) => body))]);
  }
  if (changed.length > 0) await session.query(SQL.change, recordColumns(changed));
  if (schedules.removed.size > 0) {
    await session.query(SQL.remove, keyColumns(schedules.removed.values()));
  }
}

function recordColumns(schedules: readonly Schedule[]): unknown[] {
  return columnsOf(
    schedules,
    (schedule) => schedule.accountId,
    (schedule) => schedule.scheduleId,
    (schedule) => schedule.nextAt,
    (schedule) => JSON.stringify(schedule),
  );
}

function keyColumns(keys: Iterable<ScheduleKey>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ scheduleId }) => scheduleId,
  );
}

/**
 * As many rows as their bodies leave room for, and one in any case. How long a body is can be told
 * without reading it.
 */
function withinBytes(rows: string, order: string, [count, bytesMax]: [string, string]): string {
  return `SELECT record, body FROM (
      SELECT *, sum(octet_length(body)) OVER places AS bytes, row_number() OVER places AS place
      FROM (${rows} ORDER BY ${order} LIMIT ${count}) AS found
      WINDOW places AS (ORDER BY ${order})) AS placed
    WHERE bytes <= ${bytesMax} OR place = 1 ORDER BY ${order}`;
}

const SQL = {
  lock: `SELECT s.record FROM schedules s
    WHERE (s.account_id, s.schedule_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))
    ORDER BY s.account_id, s.schedule_id FOR UPDATE`,
  read: "SELECT record, body FROM schedules WHERE account_id = $1 AND schedule_id = $2",
  list: withinBytes(
    "SELECT * FROM schedules WHERE account_id = $1 AND schedule_id > $2",
    "schedule_id",
    ["$3", "$4"],
  ),
  // schedules_due
  due: withinBytes(
    "SELECT * FROM schedules WHERE next_at IS NOT NULL AND next_at <= $1",
    "next_at, account_id, schedule_id",
    ["$2", "$3"],
  ),
  later: `SELECT record FROM schedules
    WHERE next_at IS NOT NULL AND (next_at, account_id, schedule_id) > ($1, $2, $3)
    ORDER BY next_at, account_id, schedule_id LIMIT $4`,
  nextAt: "SELECT min(next_at) AS next_at FROM schedules WHERE next_at IS NOT NULL",
  put: `INSERT INTO schedules (account_id, schedule_id, next_at, record, body)
    SELECT account_id, schedule_id, next_at, record, substr($5::bytea, start, length)
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $6::int[], $7::int[])
      AS s (account_id, schedule_id, next_at, record, start, length)
    ON CONFLICT (account_id, schedule_id) DO UPDATE SET next_at = excluded.next_at,
      record = excluded.record, body = excluded.body`,
  change: `UPDATE schedules SET next_at = s.next_at, record = s.record
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
      AS s (account_id, schedule_id, next_at, record)
    WHERE schedules.account_id = s.account_id AND schedules.schedule_id = s.schedule_id`,
  remove: `DELETE FROM schedules
    USING unnest($1::text[], $2::text[]) AS k (account_id, schedule_id)
    WHERE schedules.account_id = k.account_id AND schedules.schedule_id = k.schedule_id`,
} as const;
