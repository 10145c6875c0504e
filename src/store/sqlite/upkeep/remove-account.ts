import type { AccountTable, RemovalSql, TableRemoval } from "../../upkeep/remove-account.ts";
import { OF_ACCOUNT } from "../reads/messages.ts";

/** messages_account and messages_leased: there is no index of all messages of an account. */
const WAITING = "SELECT message_id, account_id FROM messages WHERE account_id = $1 AND phase = 0";
const LEASED = `SELECT message_id, account_id FROM messages INDEXED BY messages_leased
  WHERE node_id IS NOT NULL AND phase = 1 AND account_id = $1`;
/** log_entries_account */
const LOG = `FROM log_entries WHERE ${OF_ACCOUNT} ORDER BY number`;

/** The rest of the keys of tables whose keys begin with the account. */
const KEYS = {
  schedules: "schedule_id",
  schedule_settings: "schedule_id",
  waiters: "event_id, run_id, created_at, step_id",
  runs: "run_id, created_at",
  run_events: "run_id, created_at, event_id, number",
  run_facts: "run_id, created_at",
  run_entries: "run_id, created_at, ordinal",
  dead_letters: "died_at, number",
  body_pieces: "message_id, attempt, piece",
  deduplications: "key",
  lines: "line",
  line_limits: "line",
  url_groups: "name",
  daily_counts: "day, writer",
  stats: "step_ms, start_at, host",
  backlog: "step_ms, start_at",
} as const satisfies Partial<Record<AccountTable, string>>;

export const REMOVAL_SQL: RemovalSql = {
  ...(Object.fromEntries(
    Object.entries(KEYS).map(([table, key]) => [table, byKey(table, key)]),
  ) as Record<keyof typeof KEYS, TableRemoval>),
  messages: {
    find: `${WAITING} UNION ALL ${LEASED} LIMIT 1`,
    remove: [WAITING, LEASED].map(
      (keys) => `DELETE FROM messages WHERE (message_id, account_id) IN (${keys} LIMIT $2)`,
    ),
  },
  log_entries: {
    find: `SELECT number ${LOG} LIMIT 1`,
    remove: [
      `DELETE FROM facts WHERE (message_id, account_id) IN (
        SELECT message_id, account_id ${LOG} LIMIT $2)`,
      `DELETE FROM log_entries WHERE number IN (SELECT number ${LOG} LIMIT $2)`,
    ],
  },
  // Facts have no index of their account. Each message has entries in the log, and goes with them.
  facts: { find: "SELECT 1 WHERE $1 IS NULL", remove: [] },
};

function byKey(table: string, key: string): TableRemoval {
  const keys = `SELECT account_id, ${key} FROM ${table} WHERE account_id = $1`;
  return {
    find: `${keys} LIMIT 1`,
    remove: [`DELETE FROM ${table} WHERE (account_id, ${key}) IN (${keys} LIMIT $2)`],
  };
}
