-- The beginning of a large report, stored before the message that it becomes, so that no group waits
-- for all of it. It is kept beside the message whose attempt it tells of. Not in the index of its
-- key: a piece is larger than many pages.
CREATE TABLE body_pieces (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  piece INTEGER NOT NULL, -- from 0 on
  body BLOB NOT NULL,
  UNIQUE (account_id, message_id, attempt, piece)
) STRICT;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('body_pieces', 'sqlite_autoindex_body_pieces_1', '10000 1000 20 20 1');
ANALYZE sqlite_schema;
