-- What one act wrote in the log of a message is one row, and an attempt is kept in the row of the
-- entry that tells of its end.

ALTER TABLE log_entries
  ADD COLUMN next_state text,
  ADD COLUMN started_at bigint,
  ADD COLUMN ended_at bigint,
  ADD COLUMN headers text,
  ADD COLUMN body bytea;
ALTER TABLE log_entries ALTER COLUMN body SET STORAGE EXTERNAL;

UPDATE log_entries SET started_at = a.started_at, ended_at = a.ended_at, headers = a.headers,
    body = a.body
  FROM attempts a
  WHERE a.account_id = log_entries.account_id AND a.message_id = log_entries.message_id
    AND a.number = log_entries.attempt AND log_entries.state IN ('ERROR', 'DELIVERED');
DROP TABLE attempts;

-- A row owns two numbers, one for each entry that may be in it.
ALTER SEQUENCE log_numbers INCREMENT BY 2;

UPDATE schema_info SET oldest_program = 2;
