-- A suspect that had gone back into its queue was not seen there, and nobody would look again.

INSERT INTO lines (account_id, line, next_at)
  SELECT account_id, line, min(ready_at) FROM messages
  WHERE suspect AND phase = 0 AND line_after IS NOT NULL
  GROUP BY account_id, line
  ON CONFLICT (account_id, line) DO UPDATE SET next_at = excluded.next_at, emptied = false
  WHERE lines.next_at IS NULL;
