-- What one act wrote in the log of a message is one row, and an attempt is kept in the row of the
-- entry that tells of its end. The body is the last column, so that lists do not touch its pages.

ALTER TABLE log_entries ADD COLUMN next_state TEXT;
ALTER TABLE log_entries ADD COLUMN started_at INTEGER;
ALTER TABLE log_entries ADD COLUMN ended_at INTEGER;
ALTER TABLE log_entries ADD COLUMN headers TEXT;
ALTER TABLE log_entries ADD COLUMN body BLOB;

UPDATE log_entries SET (started_at, ended_at, headers, body) = (
  SELECT a.started_at, a.ended_at, a.headers, a.body FROM attempts a
  WHERE a.account_id = log_entries.account_id AND a.message_id = log_entries.message_id
    AND a.number = log_entries.attempt
) WHERE state IN ('ERROR', 'DELIVERED');
DROP TABLE attempts;

UPDATE schema_info SET oldest_program = 2;
