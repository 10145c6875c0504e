/** The size of an attempt's response; the length of a body is known without reading it. */
export const ATTEMPT_BYTES =
  "coalesce(octet_length(e.headers), 0) + coalesce(octet_length(e.body), 0)";

// log_entries_message
export const ATTEMPT_SQL = `SELECT * FROM log_entries WHERE account_id = $1 AND message_id = $2 AND attempt = $3
  AND started_at IS NOT NULL`;
