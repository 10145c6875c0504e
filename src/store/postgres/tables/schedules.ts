import type { Instant } from "../../../core/model/message/message.ts";
import type { Schedule, ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import type { ScheduleCursor, StoredSchedule } from "../../reader.ts";
import { toSchedule, toStoredSchedule } from "../../records/rows.ts";
import { encodeSchedule } from "../../records/schedule-record.ts";
import { scheduleKey } from "../../group/row-keys.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { columnsOf, packBodies } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";

/** Schedules, without the bodies of their messages, which no rule needs. */
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
  { nextAt, accountId, scheduleId }: ScheduleCursor,
  count: number,
  bytesMax: number,
): Promise<StoredSchedule[]> {
  const values = [now, nextAt, accountId, scheduleId, count, bytesMax];
  return (await session.query(SQL.due, values)).map(toStoredSchedule);
}

export async function laterSchedules(
  session: Session,
  { nextAt, accountId, scheduleId }: ScheduleCursor,
  count: number,
): Promise<Schedule[]> {
  const rows = await session.query(SQL.later, [nextAt, accountId, scheduleId, count]);
  return rows.map(toSchedule);
}

/** When the first schedule is due; null when none ever will be. */
export async function nextScheduleAt(session: Session): Promise<Instant | null> {
  const [row] = await session.query(SQL.nextAt);
  return (row?.["next_at"] ?? null) as Instant | null;
}

export async function writeSchedules(
  session: Session,
  { schedules, scheduleBodies }: WorkingSet,
): Promise<void> {
  const put = [...schedules.put.values()].map((schedule) => ({
    ...schedule,
    ...encodeSchedule(schedule),
    body: scheduleBodies.get(scheduleKey(schedule)),
  }));
  const whole = put.filter(({ body }) => body !== undefined);
  if (put.length > 0) {
    const columns = columnsOf(
      put,
      ({ nextAt }) => nextAt,
      ({ state }) => state,
    );
    await session.query(SQL.put, [...keyColumns(put), ...columns]);
  }
  if (whole.length > 0) {
    const settings = columnsOf(whole, (schedule) => schedule.settings);
    const bodies = packBodies(whole.map(({ body }) => body!));
    await session.query(SQL.putSettings, [...keyColumns(whole), ...settings, ...bodies]);
  }
  if (schedules.removed.size > 0) {
    const keys = keyColumns(schedules.removed.values());
    await Promise.all([
      session.query(removeFrom("schedules"), keys),
      session.query(removeFrom("schedule_settings"), keys),
    ]);
  }
}

function keyColumns(keys: Iterable<ScheduleKey>): unknown[] {
  return columnsOf(
    keys,
    ({ accountId }) => accountId,
    ({ scheduleId }) => scheduleId,
  );
}

/**
 * As many rows as fit the limit for bodies, and at least one. The length of a body is known without
 * reading it.
 */
function withinBytes(where: string, order: string, [count, bytesMax]: [string, string]): string {
  return `SELECT settings, state, next_at, body FROM (
      SELECT *, sum(octet_length(body)) OVER in_order AS bytes, row_number() OVER in_order AS nth
      FROM (SELECT * FROM ${BOTH} WHERE ${where} ORDER BY ${order} LIMIT ${count}) AS found
      WINDOW in_order AS (ORDER BY ${order})) AS numbered
    WHERE bytes <= ${bytesMax} OR nth = 1 ORDER BY ${order}`;
}

function removeFrom(table: "schedules" | "schedule_settings"): string {
  return `DELETE FROM ${table} AS t USING unnest($1::text[], $2::text[]) AS k (account_id, schedule_id)
    WHERE t.account_id = k.account_id AND t.schedule_id = k.schedule_id`;
}

const BOTH = "schedules JOIN schedule_settings USING (account_id, schedule_id)";

const SQL = {
  lock: `SELECT state, next_at, settings
    FROM (${lockByKey("schedules", { account_id: "text", schedule_id: "text" })}) s
    CROSS JOIN LATERAL (
      SELECT settings FROM schedule_settings
      WHERE account_id = s.account_id AND schedule_id = s.schedule_id FOR UPDATE
    ) f`,
  read: `SELECT settings, state, next_at, body FROM ${BOTH}
    WHERE account_id = $1 AND schedule_id = $2`,
  list: withinBytes("account_id = $1 AND schedule_id > $2", "schedule_id", ["$3", "$4"]),
  // schedules_due
  due: withinBytes(
    `next_at IS NOT NULL AND next_at <= $1
      AND (next_at, account_id, schedule_id) > ($2::bigint, $3::text, $4::text)`,
    "next_at, account_id, schedule_id",
    ["$5", "$6"],
  ),
  later: `SELECT settings, state, next_at FROM ${BOTH}
    WHERE next_at IS NOT NULL
      AND (next_at, account_id, schedule_id) > ($1::bigint, $2::text, $3::text)
    ORDER BY next_at, account_id, schedule_id LIMIT $4`,
  nextAt: "SELECT min(next_at) AS next_at FROM schedules WHERE next_at IS NOT NULL",
  put: `INSERT INTO schedules (account_id, schedule_id, next_at, state)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
    ON CONFLICT (account_id, schedule_id) DO UPDATE SET next_at = excluded.next_at,
      state = excluded.state`,
  putSettings: `INSERT INTO schedule_settings (account_id, schedule_id, settings, body)
    SELECT account_id, schedule_id, settings, substr($4::bytea, start, length)
    FROM unnest($1::text[], $2::text[], $3::text[], $5::int[], $6::int[])
      AS s (account_id, schedule_id, settings, start, length)
    ON CONFLICT (account_id, schedule_id) DO UPDATE SET settings = excluded.settings,
      body = excluded.body`,
} as const;
