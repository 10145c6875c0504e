import type { ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import { SCHEDULE_SETTINGS, SCHEDULES } from "../../records/resource-tables.ts";
import { toSchedule } from "../../records/rows.ts";
import { schedulesWithBodies } from "../../group/schedule-bodies.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import type { Session } from "../driver/conversation.ts";
import { lockByKey } from "../group/lock-by-key.ts";
import { arraysOf, putInto, removeFrom } from "../group/table-statements.ts";

/** Schedules, without the bodies of their messages, which no rule needs. */
export async function loadSchedules(
  session: Session,
  keys: readonly ScheduleKey[],
  rows: WorkingSet,
): Promise<void> {
  if (keys.length === 0) return;
  for (const row of await session.query(LOCK, arraysOf(SCHEDULES.key, keys))) {
    rows.schedules.load(toSchedule(row));
  }
}

export async function writeSchedules(session: Session, rows: WorkingSet): Promise<void> {
  const { put: changed, removed } = rows.schedules;
  await Promise.all([
    put(session, changed.values()),
    putSettings(session, schedulesWithBodies(rows)),
    remove(session, removed.values()),
    removeSettings(session, removed.values()),
  ]);
}

const LOCK = `SELECT state, next_at, settings
  FROM (${lockByKey(SCHEDULES)}) s
  CROSS JOIN LATERAL (
    SELECT settings FROM schedule_settings
    WHERE account_id = s.account_id AND schedule_id = s.schedule_id FOR UPDATE
  ) f`;
const put = putInto(SCHEDULES);
const putSettings = putInto(SCHEDULE_SETTINGS);
const remove = removeFrom(SCHEDULES);
const removeSettings = removeFrom(SCHEDULE_SETTINGS);
