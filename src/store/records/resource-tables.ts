import type { AccountRecord } from "../../core/model/account/account.ts";
import type { LineKey, LineSetting } from "../../core/model/line/line.ts";
import type { Schedule, ScheduleKey } from "../../core/model/schedule/schedule.ts";
import type { UrlGroup, UrlGroupKey } from "../../core/model/url-group/url-group.ts";
import { toLineSetting, toUrlGroup, type Row } from "./rows.ts";
import type { Column, LoadedTable, Table } from "./table.ts";
import { accountOf, type KeptAccount } from "../../core/rules/account/accounts.ts";
import { flat, nested } from "../../core/model/message/settings.ts";

export const ACCOUNTS: LoadedTable<{ readonly accountId: string }, AccountRecord> = {
  name: "accounts",
  read: toAccountRecord,
  key: [["account_id", "text", ({ accountId }) => accountId]],
  columns: [
    ["customer_id", "text?", ({ customerId }) => customerId],
    ["token_hash", "text", ({ tokenHash }) => tokenHash],
    ["read_only_token_hash", "text", ({ readOnlyTokenHash }) => readOnlyTokenHash],
    ["previous_token_hash", "text?", ({ previousTokens }) => previousTokens?.tokenHash ?? null],
    [
      "previous_read_only_token_hash",
      "text?",
      ({ previousTokens }) => previousTokens?.readOnlyTokenHash ?? null,
    ],
    ["parallelism_max", "int?", ({ limits }) => limits.parallelismMax],
    ["halted", "boolean", ({ isHalted }) => isHalted],
    ["record", "long text", encodeAccount],
  ],
};

export const URL_GROUPS: LoadedTable<UrlGroupKey, UrlGroup> = {
  name: "url_groups",
  read: toUrlGroup,
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["name", "text", ({ name }) => name],
  ],
  columns: [["record", "long text", (urlGroup) => JSON.stringify(urlGroup)]],
};

const SCHEDULE_KEY: readonly Column<ScheduleKey>[] = [
  ["account_id", "text", ({ accountId }) => accountId],
  ["schedule_id", "text", ({ scheduleId }) => scheduleId],
];

/** Read without the bodies of their messages, which no rule needs. */
export const SCHEDULES: LoadedTable<ScheduleKey, Schedule> = {
  name: "schedules",
  read: toSchedule,
  beside: { table: "schedule_settings", column: "settings" },
  key: SCHEDULE_KEY,
  columns: [
    ["next_at", "bigint?", ({ nextAt }) => nextAt],
    ["state", "long text", (schedule) => encodeSchedule(schedule).state],
  ],
};

export interface ScheduleWithBody extends Schedule {
  readonly body: Uint8Array;
}

export const SCHEDULE_SETTINGS: Table<ScheduleKey, ScheduleWithBody> = {
  name: "schedule_settings",
  key: SCHEDULE_KEY,
  columns: [
    ["settings", "long text", ({ body: _body, ...set }) => encodeSchedule(set).settings],
    ["body", "bytea", ({ body }) => body],
  ],
};

export const LINE_LIMITS: LoadedTable<LineKey, LineSetting> = {
  name: "line_limits",
  read: toLineSetting,
  key: [
    ["account_id", "text", ({ accountId }) => accountId],
    ["line", "text", ({ line }) => line],
  ],
  columns: [
    ["parallelism", "int?", ({ limits }) => limits.parallelism],
    ["rate", "int?", ({ limits }) => limits.rate],
    ["period_ms", "bigint", ({ limits }) => limits.periodMs],
    ["paused", "boolean", ({ limits }) => limits.paused],
    ["pinned_parallelism", "boolean", ({ isParallelismPinned }) => isParallelismPinned],
    ["pinned_rate", "boolean", ({ isRatePinned }) => isRatePinned],
    ["created_at", "bigint", ({ createdAt }) => createdAt],
    ["updated_at", "bigint", ({ updatedAt }) => updatedAt],
  ],
};

/** The text of an account's row, without what can be derived. */
export function encodeAccount(account: AccountRecord): string {
  const { limits: _limits, isHalted: _isHalted, ...kept } = account;
  return JSON.stringify(kept);
}

export function toAccountRecord(row: Row): AccountRecord {
  return accountOf(JSON.parse(row["record"] as string) as KeptAccount);
}

/** A schedule as stored: what a user has set, and apart from it what every tick changes. */
interface ScheduleRecord {
  readonly settings: string;
  readonly state: string;
}

function encodeSchedule(schedule: Schedule): ScheduleRecord {
  const { nextAt: _nextAt, isPaused, lastAt, lastMessageIds, error, skipped, ...rest } = schedule;
  const { lastTicks, ...set } = rest;
  const { version } = set;
  const ticked = { lastAt, lastMessageIds, error, skipped, lastTicks };
  return {
    settings: JSON.stringify({ ...set, options: flat(set.options) }),
    // The version is here too, so that a tick reads all that guards it from the row it locks first.
    state: JSON.stringify({ version, isPaused, ...ticked }),
  };
}

export function toSchedule(row: Row): Schedule {
  const set = JSON.parse(row["settings"] as string) as Schedule;
  return {
    ...set,
    options: nested(set.options),
    ...(JSON.parse(row["state"] as string) as Partial<Schedule>),
    nextAt: row["next_at"] as number | null,
  };
}
