-- Facts are written once. The row of a message in `messages` lives only as long as the message does.

CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  customer_id TEXT,
  token_hash TEXT NOT NULL UNIQUE,
  read_only_token_hash TEXT NOT NULL UNIQUE,
  previous_token_hash TEXT,
  previous_read_only_token_hash TEXT,
  parallelism_max INTEGER,
  halted INTEGER NOT NULL DEFAULT 0, -- its deliveries are paused
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX accounts_customer ON accounts (customer_id);
CREATE INDEX accounts_previous_token ON accounts (previous_token_hash)
  WHERE previous_token_hash IS NOT NULL;
CREATE INDEX accounts_previous_read_only_token ON accounts (previous_read_only_token_hash)
  WHERE previous_read_only_token_hash IS NOT NULL;

CREATE TABLE daily_counts (
  account_id TEXT NOT NULL,
  day INTEGER NOT NULL, -- since the beginning of 1970, UTC
  writer TEXT NOT NULL, -- SQLite has one writer; PostgreSQL has one row for each of its writers
  messages INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  dropped INTEGER NOT NULL DEFAULT 0, -- dead letters removed because there were too many
  PRIMARY KEY (account_id, day, writer)
) STRICT, WITHOUT ROWID;
CREATE INDEX daily_counts_age ON daily_counts (day);

-- What happened to the messages of an account in a minute, an hour or a day.
CREATE TABLE stats (
  account_id TEXT NOT NULL,
  step_ms INTEGER NOT NULL,
  start_at INTEGER NOT NULL,
  host TEXT NOT NULL, -- empty for all hosts together
  published INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  failed_attempts INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  dead_lettered INTEGER NOT NULL,
  canceled INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  took_5 INTEGER NOT NULL,
  took_10 INTEGER NOT NULL,
  took_25 INTEGER NOT NULL,
  took_50 INTEGER NOT NULL,
  took_100 INTEGER NOT NULL,
  took_250 INTEGER NOT NULL,
  took_500 INTEGER NOT NULL,
  took_1000 INTEGER NOT NULL,
  took_2500 INTEGER NOT NULL,
  took_5000 INTEGER NOT NULL,
  took_10000 INTEGER NOT NULL,
  took_30000 INTEGER NOT NULL,
  took_60000 INTEGER NOT NULL,
  took_more INTEGER NOT NULL,
  PRIMARY KEY (account_id, step_ms, start_at, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX stats_age ON stats (step_ms, start_at);

-- What waited in an account at the end of a minute, an hour or a day.
CREATE TABLE backlog (
  account_id TEXT NOT NULL,
  step_ms INTEGER NOT NULL,
  start_at INTEGER NOT NULL,
  due INTEGER NOT NULL,
  later INTEGER NOT NULL,
  oldest_due_ms INTEGER,
  PRIMARY KEY (account_id, step_ms, start_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX backlog_age ON backlog (step_ms, start_at);

-- What the service keeps about itself, in one row.
CREATE TABLE service (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  record TEXT NOT NULL,
  left_at INTEGER NOT NULL DEFAULT 0 -- the latest due time of a node that has stopped
) STRICT;
INSERT INTO service (one, record) VALUES (1, '{"operator":null,"isPaused":false}');

-- Facts, messages and log lie in order of arrival, and ids begin with the time: a group of many
-- accounts then writes a few pages, where keys that begin with the account touch one of each.
-- The body is the last column, so that reading the settings does not touch its pages.
CREATE TABLE facts (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  source_id TEXT, -- the message that a callback reports about
  facts TEXT NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (message_id, account_id)
) STRICT;
CREATE INDEX facts_source ON facts (source_id, account_id, message_id) WHERE source_id IS NOT NULL;

CREATE TABLE messages (
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  phase INTEGER NOT NULL, -- 0 waiting, 1 active
  attempts INTEGER NOT NULL,
  ready_at INTEGER NOT NULL,
  line TEXT NOT NULL,
  line_after TEXT,
  position INTEGER, -- its position in a queue, by order of commit
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
  run_id TEXT,
  run_created_at INTEGER,
  queue TEXT, -- the queue whose slot it holds
  PRIMARY KEY (message_id, account_id)
) STRICT, WITHOUT ROWID;
-- An account's messages by id: those that wait. Active ones are few, and in messages_leased.
CREATE INDEX messages_account ON messages (account_id, message_id) WHERE phase = 0;
CREATE INDEX messages_waiting ON messages (account_id, line, ready_at)
  WHERE phase = 0 AND suspect = 0;
CREATE INDEX messages_queued ON messages (account_id, line, position)
  WHERE phase = 0 AND line_after IS NOT NULL;
CREATE INDEX messages_suspect ON messages (phase, ready_at) WHERE suspect = 1;
CREATE INDEX messages_keyed ON messages (account_id, line)
  WHERE phase = 1 AND line >= 'k:' AND line < 'k;';
CREATE INDEX messages_capped ON messages (account_id) WHERE phase = 1 AND capped = 1;
CREATE INDEX messages_run ON messages (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;
-- Messages that wait in a queue and go on to a flow-control key.
CREATE INDEX messages_behind ON messages (account_id, line_after)
  WHERE line_after >= 'k:' AND line_after < 'k;';
-- Only queries for a node use this index: one of all active messages would be chosen for others.
CREATE INDEX messages_leased ON messages (node_id, leased_at) WHERE node_id IS NOT NULL;
CREATE INDEX messages_holding ON messages (account_id, queue) WHERE queue IS NOT NULL;

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
  pinned_parallelism INTEGER NOT NULL DEFAULT 0,
  pinned_rate INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, line)
) STRICT, WITHOUT ROWID;
-- Keys that are neither paused nor pinned are removed once they are no longer used.
CREATE INDEX line_limits_idle ON line_limits (updated_at)
  WHERE line >= 'k:' AND line < 'k;' AND paused = 0 AND pinned_parallelism = 0 AND pinned_rate = 0;

-- One row holds what one act wrote in the log of a message, and the attempt whose end it tells of.
-- The body is the last column, so that lists do not touch its pages.
CREATE TABLE log_entries (
  number INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER,
  status INTEGER,
  error TEXT,
  next_at INTEGER,
  next_state TEXT,
  started_at INTEGER,
  ended_at INTEGER,
  node_id TEXT, -- that made the attempt
  headers TEXT,
  body BLOB
) STRICT;
-- Both end with the number.
CREATE INDEX log_entries_message ON log_entries (message_id);
-- The end of an id tells accounts apart and is small; a query names the whole id too.
CREATE INDEX log_entries_account ON log_entries (substr(account_id, -8));

CREATE TABLE dead_letters (
  account_id TEXT NOT NULL,
  died_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  status INTEGER NOT NULL,
  error TEXT,
  cause TEXT NOT NULL, -- what failures of one kind have in common
  run_id TEXT,
  run_created_at INTEGER,
  PRIMARY KEY (account_id, died_at, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX dead_letters_message ON dead_letters (account_id, message_id);
CREATE INDEX dead_letters_run ON dead_letters (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;

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
  renewed_at INTEGER NOT NULL,
  is_paused INTEGER NOT NULL DEFAULT 0, -- it starts no delivery
  facts TEXT NOT NULL -- its version, start and slots
) STRICT, WITHOUT ROWID;

CREATE TABLE sequences (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sequences (name, value) VALUES ('log', 0), ('dead-letter', 0), ('position', 0),
  ('log-counted', 0); -- daily_counts counts the log up to here

CREATE TABLE url_groups (
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

-- A tick changes only this row, so that it never writes the body of a schedule again.
CREATE TABLE schedules (
  account_id TEXT NOT NULL,
  schedule_id TEXT NOT NULL,
  next_at INTEGER,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, schedule_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_at, account_id, schedule_id)
  WHERE next_at IS NOT NULL;

CREATE TABLE schedule_settings (
  account_id TEXT NOT NULL,
  schedule_id TEXT NOT NULL,
  settings TEXT NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (account_id, schedule_id)
) STRICT;

-- Every act on a run locks its row here.
CREATE TABLE runs (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  phase INTEGER NOT NULL, -- 0 started, 1 success, 2 failed, 3 canceled
  next_ordinal INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  stored_events INTEGER NOT NULL,
  ended_at INTEGER,
  failure TEXT,
  PRIMARY KEY (account_id, run_id, created_at)
) STRICT, WITHOUT ROWID;
-- At most one run with an id is active.
CREATE UNIQUE INDEX runs_active ON runs (account_id, run_id) WHERE phase = 0;
CREATE INDEX runs_made ON runs (account_id, created_at, run_id);
CREATE INDEX runs_ended ON runs (account_id, ended_at) WHERE ended_at IS NOT NULL;

-- Written when a run starts; the response when it ends. Not in the index of its key, which would be
-- read with all responses, and these may be large.
CREATE TABLE run_facts (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  response BLOB,
  UNIQUE (account_id, run_id, created_at)
) STRICT;

CREATE TABLE run_entries (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- of the run
  ordinal INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- its index in ENTRY_KINDS
  message_id TEXT NOT NULL,
  step_key TEXT,
  at INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (account_id, run_id, created_at, ordinal)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX run_entries_step ON run_entries (account_id, run_id, created_at, step_key)
  WHERE step_key IS NOT NULL;

CREATE TABLE waiters (
  account_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- of the run
  step_id INTEGER NOT NULL,
  deadline_at INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, event_id, run_id, created_at, step_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX waiters_run ON waiters (account_id, run_id, created_at);
CREATE INDEX waiters_due ON waiters (deadline_at);

-- Events for one run that arrived before the run waited for them.
CREATE TABLE run_events (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- of the run
  event_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  is_hook INTEGER NOT NULL DEFAULT 0, -- for waits for webhooks alone
  body BLOB NOT NULL,
  PRIMARY KEY (account_id, run_id, created_at, event_id, number)
) STRICT, WITHOUT ROWID;

-- Without statistics the planner assumes ten rows for an account, and reads all of them where it
-- should search an index. These are the sizes of a busy service: rows of an index, then rows that
-- share its first column, its first two, and so on. A migration that adds an index adds its sizes.
ANALYZE schema_info;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('daily_counts', 'daily_counts', '10000 100 2 1'),
  ('daily_counts', 'daily_counts_age', '10000 100'),
  ('dead_letters', 'dead_letters', '100000 10000 10 1'),
  ('dead_letters', 'dead_letters_message', '100000 10000 2'),
  ('dead_letters', 'dead_letters_run', '10000 1000 2 2'),
  ('deduplications', 'deduplications', '100000 10000 1'),
  ('deduplications', 'deduplications_age', '100000 10'),
  ('facts', 'facts_source', '100000 2 2 1'),
  ('facts', 'sqlite_autoindex_facts_1', '1000000 1 1'),
  ('line_limits', 'line_limits', '100000 10000 1'),
  ('line_limits', 'line_limits_idle', '100000 10'),
  ('lines', 'lines', '100000 10000 1'),
  ('lines', 'lines_due', '10000 1000 10'),
  ('lines', 'lines_next', '10000 10'),
  ('log_entries', 'log_entries_account', '1000000 100000'),
  ('log_entries', 'log_entries_message', '1000000 3'),
  ('messages', 'messages', '1000000 1 1'),
  ('messages', 'messages_account', '1000000 100000 1'),
  ('messages', 'messages_behind', '10000 1000 10'),
  ('messages', 'messages_capped', '1000 100'),
  ('messages', 'messages_holding', '10000 1000 2'),
  ('messages', 'messages_keyed', '1000 100 10'),
  ('messages', 'messages_leased', '1000 500 5'),
  ('messages', 'messages_queued', '100000 10000 100 1'),
  ('messages', 'messages_run', '100000 10000 2 2'),
  ('messages', 'messages_suspect', '100 50 2'),
  ('messages', 'messages_waiting', '1000000 100000 1000 10'),
  ('run_entries', 'run_entries', '1000000 100000 20 10 1'),
  ('run_entries', 'run_entries_step', '1000000 100000 20 10 1'),
  ('run_events', 'run_events', '10000 1000 10 10 2 1'),
  ('run_facts', 'sqlite_autoindex_run_facts_1', '1000000 100000 2 1'),
  ('runs', 'runs', '1000000 100000 2 1'),
  ('runs', 'runs_active', '100000 10000 1'),
  ('runs', 'runs_ended', '1000000 100000 10'),
  ('runs', 'runs_made', '1000000 100000 10 1'),
  ('schedule_settings', 'sqlite_autoindex_schedule_settings_1', '100000 10000 1'),
  ('schedules', 'schedules', '100000 10000 1'),
  ('schedules', 'schedules_due', '100000 100 10 1'),
  ('backlog', 'backlog', '1000000 10000 5000 1'),
  ('backlog', 'backlog_age', '1000000 300000 1000'),
  ('stats', 'stats', '1000000 10000 5000 20 1'),
  ('stats', 'stats_age', '1000000 300000 1000'),
  ('url_groups', 'url_groups', '10000 1000 1'),
  ('waiters', 'waiters', '100000 10000 10 2 1 1'),
  ('waiters', 'waiters_due', '100000 10'),
  ('waiters', 'waiters_run', '100000 10000 2 1');
ANALYZE sqlite_schema;
