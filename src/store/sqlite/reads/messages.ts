import type { MessageSql } from "../../reads/messages.ts";
import { ENTRY_COLUMNS } from "../../records/log-step.ts";

/** Finds an account's rows by log_entries_account; `?1` is its id. */
export const OF_ACCOUNT = "substr(account_id, -8) = substr(?1, -8) AND account_id = ?1";

/** The size of an attempt's response; the length of a body is known without reading it. */
export const ATTEMPT_BYTES =
  "coalesce(octet_length(e.headers), 0) + coalesce(octet_length(e.body), 0)";

// log_entries_message
export const ATTEMPT_SQL = `SELECT * FROM log_entries WHERE account_id = $1 AND message_id = $2 AND attempt = $3
  AND started_at IS NOT NULL`;

/** messages_leased: at most as many rows as there are slots, over all accounts. */
const LEASED_OF_ACCOUNT = "node_id IS NOT NULL AND phase = 1 AND account_id = $1";
const IN_RANGE = "message_id > $2 AND message_id <= $3 AND cancel_requested = 0";

export const MESSAGE_SQL: MessageSql = {
  attempt: ATTEMPT_SQL,
  // facts_source
  callbacks: `SELECT facts FROM facts WHERE source_id = $2 AND account_id = $1
    ORDER BY message_id DESC LIMIT $3`,
  underWay: `SELECT count(*) AS count FROM messages INDEXED BY messages_leased
    WHERE ${LEASED_OF_ACCOUNT}`,
  lastLive: `SELECT max(last) AS last FROM (
      SELECT max(message_id) AS last FROM messages WHERE account_id = $1 AND phase = 0
      UNION ALL SELECT max(message_id) FROM messages WHERE ${LEASED_OF_ACCOUNT})`,
  // messages_account, messages_leased
  liveIds: `SELECT message_id FROM messages WHERE account_id = $1 AND phase = 0 AND ${IN_RANGE}
    UNION ALL
    SELECT message_id FROM messages INDEXED BY messages_leased WHERE ${LEASED_OF_ACCOUNT} AND ${IN_RANGE}
    ORDER BY message_id LIMIT $4`,
  // By log_entries_message when messages are named, else by log_entries_account.
  log: (order, isNamed) => {
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">=", "ASC"];
    // `+number` keeps SQLite from reading the whole log in its order to find a few messages.
    const number = isNamed ? "+e.number" : "e.number";
    return `SELECT ${ENTRY_COLUMNS}, f.facts, octet_length(f.body) AS body_bytes,
        ${ATTEMPT_BYTES} AS attempt_bytes
      FROM (SELECT * FROM log_entries AS e WHERE ${number} ${compare} $2
        AND ${isNamed ? "account_id = $1 AND message_id IN (SELECT value FROM json_each($5))" : OF_ACCOUNT}) AS e
      LEFT JOIN facts f ON f.account_id = e.account_id AND f.message_id = e.message_id
        AND (e.state IN (SELECT value FROM json_each($4))
          OR e.next_state IN (SELECT value FROM json_each($4)))
      ORDER BY ${number} ${direction} LIMIT $3`;
  },
};
