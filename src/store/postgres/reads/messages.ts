import type { MessageSql } from "../../reads/messages.ts";
import { ENTRY_COLUMNS } from "../../records/log-step.ts";
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";

/** The size of an attempt's response; the length of a body is known without reading it. */
export const ATTEMPT_BYTES = "coalesce(octet_length(headers), 0) + coalesce(octet_length(body), 0)";

export const ATTEMPT_SQL = `SELECT * FROM log_entries
  WHERE ${isAt(LOG_OF_MESSAGE, ["$1", "$2"])} AND attempt = $3 AND started_at IS NOT NULL
  ORDER BY account_id, message_id, number`;

export const MESSAGE_SQL: MessageSql = {
  attempt: ATTEMPT_SQL,
  // facts_source, since no other index has this order.
  callbacks: `SELECT facts FROM facts WHERE source_id IS NOT NULL
      AND ${isAt(["account_id", "source_id"], ["$1", "$2"])}
    ORDER BY account_id DESC, source_id DESC, message_id DESC LIMIT $3`,
  // messages_leased: at most as many rows as there are slots, over all accounts.
  underWay: `SELECT count(*) AS count FROM messages
    WHERE node_id IS NOT NULL AND phase = 1 AND account_id = $1`,
  lastLive: "SELECT max(message_id) AS last FROM messages WHERE account_id = $1",
  liveIds: `SELECT message_id FROM messages
    WHERE account_id = $1 AND message_id > $2 AND message_id <= $3 AND NOT cancel_requested
    ORDER BY message_id LIMIT $4`,
  // By log_entries_message when messages are named, else by the primary key.
  log: (order, isNamed) => {
    // An entry after the cursor may be in the same row as the cursor.
    const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">=", "ASC"];
    // `number + 0` makes the order of the primary key useless, so that the server does not search
    // the whole log for a few messages.
    const by = isNamed ? "number + 0" : "number";
    return `SELECT ${ENTRY_COLUMNS}, f.facts, octet_length(f.body) AS body_bytes, attempt_bytes
      FROM (
        SELECT *, ${ATTEMPT_BYTES} AS attempt_bytes FROM log_entries
        WHERE account_id = $1 AND number ${compare} $2
          ${isNamed ? "AND message_id = ANY ($5::text[])" : ""}
        ORDER BY ${by} ${direction} LIMIT $3
      ) e
      LEFT JOIN LATERAL (
        SELECT facts, body FROM facts
        WHERE account_id = e.account_id AND message_id = e.message_id
          AND (e.state = ANY ($4::text[]) OR e.next_state = ANY ($4::text[]))
        OFFSET 0
      ) f ON true
      ORDER BY e.number ${direction}`;
  },
};
