-- Facts are written once; the hot row of a message lives only as long as the message does.

CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  read_only_token_hash TEXT NOT NULL UNIQUE,
  parallelism_max INTEGER,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The body is the last column, so that reading the settings does not touch its pages.
CREATE TABLE facts (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (account_id, message_id)
) STRICT;

CREATE TABLE messages (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  phase INTEGER NOT NULL, -- 0 waiting, 1 active
  attempts INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  line TEXT NOT NULL,
  line_after TEXT,
  position INTEGER, -- its place in a queue, by order of commit
  host TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  fence INTEGER NOT NULL,
  node_id TEXT,
  leased_at INTEGER,
  losses INTEGER NOT NULL,
  suspect INTEGER NOT NULL,
  capped INTEGER NOT NULL DEFAULT 0, -- counts toward its account's parallelism
  cancel_requested INTEGER NOT NULL,
  root_id TEXT,
  PRIMARY KEY (account_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX messages_waiting ON messages (account_id, line, ready_at)
  WHERE phase = 0 AND suspect = 0;
CREATE INDEX messages_queued ON messages (account_id, line, position)
  WHERE phase = 0 AND line_after IS NOT NULL;
CREATE INDEX messages_suspect ON messages (phase, ready_at) WHERE suspect = 1;
CREATE INDEX messages_leased ON messages (node_id, leased_at) WHERE phase = 1;
CREATE INDEX messages_keyed ON messages (account_id, line)
  WHERE phase = 1 AND line >= 'k:' AND line < 'k;';
CREATE INDEX messages_capped ON messages (account_id) WHERE phase = 1 AND capped = 1;

CREATE TABLE lines (
  account_id TEXT NOT NULL,
  line TEXT NOT NULL,
  next_at INTEGER,
  window_started_at INTEGER NOT NULL DEFAULT 0,
  window_starts INTEGER NOT NULL DEFAULT 0,
  emptied INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, line)
) STRICT, WITHOUT ROWID;
CREATE INDEX lines_due ON lines (account_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX lines_next ON lines (next_at) WHERE next_at IS NOT NULL;

CREATE TABLE line_limits (
  account_id TEXT NOT NULL,
  line TEXT NOT NULL,
  parallelism INTEGER,
  rate INTEGER,
  period_ms INTEGER NOT NULL,
  paused INTEGER NOT NULL,
  PRIMARY KEY (account_id, line)
) STRICT, WITHOUT ROWID;

-- A queue's slot, held until its message and every callback made from it have ended.
CREATE TABLE queue_holds (
  account_id TEXT NOT NULL,
  root_id TEXT NOT NULL,
  line TEXT NOT NULL,
  pending INTEGER NOT NULL,
  PRIMARY KEY (account_id, root_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX queue_holds_line ON queue_holds (account_id, line);

CREATE TABLE log_entries (
  account_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER,
  status INTEGER,
  error TEXT,
  next_at INTEGER,
  PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_entries_message ON log_entries (account_id, message_id);

CREATE TABLE attempts (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT,
  headers TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (account_id, message_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE dead_letters (
  account_id TEXT NOT NULL,
  died_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT,
  PRIMARY KEY (account_id, died_at, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX dead_letters_message ON dead_letters (account_id, message_id);
CREATE INDEX dead_letters_age ON dead_letters (died_at);

CREATE TABLE deduplications (
  account_id TEXT NOT NULL,
  key TEXT NOT NULL,
  message_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX deduplications_age ON deduplications (expires_at);

CREATE TABLE nodes (
  node_id TEXT PRIMARY KEY,
  beats INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sequences (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sequences (name, value) VALUES ('log', 0), ('dead-letter', 0), ('position', 0);
