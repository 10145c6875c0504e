/** What a group writes beside write-messages.ts: a statement to a table, however many rows. */
export const WRITE_SQL = {
  changeMessages: `UPDATE messages SET phase = m.phase, attempts = m.attempts,
      ready_at = m.ready_at, line = m.line, line_after = m.line_after, fence = m.fence,
      node_id = m.node_id, leased_at = m.leased_at, losses = m.losses, suspect = m.suspect,
      cancel_requested = m.cancel_requested
    FROM unnest($1::text[], $2::text[], $3::smallint[], $4::int[], $5::bigint[], $6::text[],
        $7::text[], $8::bigint[], $9::text[], $10::bigint[], $11::int[], $12::boolean[],
        $13::boolean[])
      AS m (account_id, message_id, phase, attempts, ready_at, line, line_after, fence, node_id,
        leased_at, losses, suspect, cancel_requested)
    WHERE messages.account_id = m.account_id AND messages.message_id = m.message_id`,
  addDeadLetters: `INSERT INTO dead_letters (account_id, died_at, number, message_id, attempt,
      status, error, run_id, run_created_at)
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::int[], $6::int[],
      $7::text[], $8::text[], $9::bigint[])`,
  removeDeadLetters: `DELETE FROM dead_letters
    USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS d (account_id, died_at, number)
    WHERE dead_letters.account_id = d.account_id AND dead_letters.died_at = d.died_at
      AND dead_letters.number = d.number`,
  takeDeduplications: `INSERT INTO deduplications (account_id, key, message_id, expires_at)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
    ON CONFLICT (account_id, key)
    DO UPDATE SET message_id = excluded.message_id, expires_at = excluded.expires_at`,
} as const;
