import type { Instant } from "../../../core/model/time.ts";
import type { Schedule, ScheduleKey } from "../../../core/model/schedule/schedule.ts";
import type { ScheduleCursor, StoredSchedule } from "../../reader/schedules.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { toSchedule, toStoredSchedule } from "../../records/rows.ts";
import type { Session } from "../driver/conversation.ts";

export class ScheduleReads implements NounReader<"schedules"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get({ accountId, scheduleId }: ScheduleKey): Promise<StoredSchedule | null> {
    const [row] = await this.#session.query(SQL.get, [accountId, scheduleId]);
    return row ? toStoredSchedule(row) : null;
  }

  async list(
    accountId: string,
    after: string,
    count: number,
    bytesMax: number,
  ): Promise<StoredSchedule[]> {
    const rows = await this.#session.query(SQL.list, [accountId, after, count, bytesMax]);
    return rows.map(toStoredSchedule);
  }

  async due(
    now: Instant,
    { nextAt, accountId, scheduleId }: ScheduleCursor,
    count: number,
    bytesMax: number,
  ): Promise<StoredSchedule[]> {
    const values = [now, nextAt, accountId, scheduleId, count, bytesMax];
    return (await this.#session.query(SQL.due, values)).map(toStoredSchedule);
  }

  async later(
    { nextAt, accountId, scheduleId }: ScheduleCursor,
    count: number,
  ): Promise<Schedule[]> {
    const rows = await this.#session.query(SQL.later, [nextAt, accountId, scheduleId, count]);
    return rows.map(toSchedule);
  }

  async nextAt(): Promise<Instant | null> {
    const [row] = await this.#session.query(SQL.nextAt);
    return (row?.["next_at"] ?? null) as Instant | null;
  }
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

const BOTH = "schedules JOIN schedule_settings USING (account_id, schedule_id)";

const SQL = {
  get: `SELECT settings, state, next_at, body FROM ${BOTH}
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
} as const;
