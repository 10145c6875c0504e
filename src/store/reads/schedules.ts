import type { ScheduleCursor, StoredSchedule } from "../reader/schedules.ts";
import type { Row } from "../records/rows.ts";
import { toSchedule } from "../records/resource-tables.ts";
import { all, type Key, type Noun, one } from "./reading.ts";
import { withinBytes } from "./stored-bytes.ts";

const BOTH = "schedules JOIN schedule_settings USING (account_id, schedule_id)";
const WITHOUT_BODY = {
  columns: "account_id, schedule_id, settings, state, next_at",
  from: BOTH,
  body: `SELECT body FROM schedule_settings
    WHERE account_id = sized.account_id AND schedule_id = sized.schedule_id`,
} as const;
const IN_ORDER = "next_at, account_id, schedule_id";

const SQL = {
  get: `SELECT settings, state, next_at, body FROM ${BOTH}
    WHERE account_id = $1 AND schedule_id = $2`,
  list: withinBytes({
    ...WITHOUT_BODY,
    where: "account_id = $1 AND schedule_id > $2",
    order: "schedule_id",
    limit: "$3",
    bytesMax: "$4",
  }),
  // schedules_due
  due: withinBytes({
    ...WITHOUT_BODY,
    where: `next_at IS NOT NULL AND (${IN_ORDER}) > ($1, $2, $3) AND next_at <= $4`,
    order: IN_ORDER,
    limit: "$5",
    bytesMax: "$6",
  }),
  later: `SELECT settings, state, next_at FROM ${BOTH}
    WHERE next_at IS NOT NULL AND (${IN_ORDER}) > ($1, $2, $3) ORDER BY ${IN_ORDER} LIMIT $4`,
} as const;

export const SCHEDULE_READS: Noun<"schedules"> = {
  sql: SQL,
  reads: {
    get: ({ accountId, scheduleId }) => one(SQL.get, [accountId, scheduleId], toStoredSchedule),
    list: (accountId, after, count, bytesMax) =>
      all(SQL.list, [accountId, after, count, bytesMax], toStoredSchedule),
    due: (now, after, count, bytesMax) =>
      all(SQL.due, [...keyOf(after), now, count, bytesMax], toStoredSchedule),
    later: (after, count) => all(SQL.later, [...keyOf(after), count], toSchedule),
  },
};

function keyOf({ nextAt, accountId, scheduleId }: ScheduleCursor): Key {
  return [nextAt, accountId, scheduleId];
}

function toStoredSchedule(row: Row): StoredSchedule {
  return { schedule: toSchedule(row), body: row["body"] as Uint8Array };
}
