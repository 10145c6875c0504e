import { MESSAGE_KEY, rowsByKey } from "./rows-by-key.ts";

/**
 * What a group writes besides write-messages.ts: one statement for each table, for any number of
 * rows.
 */
export const WRITE_SQL = {
  changeMessages: `UPDATE messages SET phase = m.phase, attempts = m.attempts,
      ready_at = m.ready_at, line = m.line, line_after = m.line_after, fence = m.fence,
      node_id = m.node_id, leased_at = m.leased_at, losses = m.losses, suspect = m.suspect,
      cancel_requested = m.cancel_requested
    FROM ${rowsByKey(
      "messages",
      MESSAGE_KEY,
      `unnest($1::text[], $2::text[], $3::smallint[], $4::int[], $5::bigint[], $6::text[],
        $7::text[], $8::bigint[], $9::text[], $10::bigint[], $11::int[], $12::boolean[],
        $13::boolean[])
      AS k (account_id, message_id, phase, attempts, ready_at, line, line_after, fence, node_id,
        leased_at, losses, suspect, cancel_requested)`,
    )} m
    WHERE messages.ctid = m.ctid`,
  addDeadLetters: `INSERT INTO dead_letters (account_id, died_at, number, message_id, attempt,
      status, error, run_id, run_created_at)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::int[],
      $7::text[], $8::text[], $9::bigint[])`,
  removeDeadLetters: `DELETE FROM dead_letters
    USING ${rowsByKey(
      "dead_letters",
      ["account_id", "died_at", "number"],
      "unnest($1::text[], $2::bigint[], $3::bigint[]) AS k (account_id, died_at, number)",
    )} d
    WHERE dead_letters.ctid = d.ctid`,
  takeDeduplications: `INSERT INTO deduplications (account_id, key, message_id, expires_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
    ON CONFLICT (account_id, key)
    DO UPDATE SET message_id = excluded.message_id, expires_at = excluded.expires_at`,
} as const;
