import type { ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import { toSchedule } from "../../records/rows.ts";
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

function removeFrom(table: "schedules" | "schedule_settings"): string {
  return `DELETE FROM ${table} AS t USING unnest($1::text[], $2::text[]) AS k (account_id, schedule_id)
    WHERE t.account_id = k.account_id AND t.schedule_id = k.schedule_id`;
}

const SQL = {
  lock: `SELECT state, next_at, settings
    FROM (${lockByKey("schedules", { account_id: "text", schedule_id: "text" })}) s
    CROSS JOIN LATERAL (
      SELECT settings FROM schedule_settings
      WHERE account_id = s.account_id AND schedule_id = s.schedule_id FOR UPDATE
    ) f`,
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
