import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";

/** The size of an attempt's response; the length of a body is known without reading it. */
export const ATTEMPT_BYTES = "coalesce(octet_length(headers), 0) + coalesce(octet_length(body), 0)";

export const ATTEMPT_SQL = `SELECT * FROM log_entries
  WHERE ${isAt(LOG_OF_MESSAGE, ["$1", "$2"])} AND attempt = $3 AND started_at IS NOT NULL
  ORDER BY account_id, message_id, number`;
