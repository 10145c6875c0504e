-- The beginning of a large report, which SQLite stores before the message that it becomes, so that no
-- group waits for all of it. Groups do not wait for one another here: rows come with a move only.
CREATE TABLE body_pieces (
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  piece integer NOT NULL, -- from 0 on
  body bytea NOT NULL,
  PRIMARY KEY (account_id, message_id, attempt, piece)
);
ALTER TABLE body_pieces ALTER COLUMN body SET STORAGE EXTERNAL;
