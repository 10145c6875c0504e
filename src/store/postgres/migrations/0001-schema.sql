-- Facts are written once. The row of a message in `messages` lives only as long as the message does.
-- Keys compare by their bytes, so that both databases sort alike.

CREATE TABLE accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  customer_id text COLLATE "C",
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  read_only_token_hash text COLLATE "C" NOT NULL UNIQUE,
  previous_token_hash text COLLATE "C",
  previous_read_only_token_hash text COLLATE "C",
  parallelism_max integer,
  halted boolean NOT NULL DEFAULT false, -- its deliveries are paused
  record text NOT NULL
);
CREATE UNIQUE INDEX accounts_customer ON accounts (customer_id);
CREATE INDEX accounts_previous_token ON accounts (previous_token_hash)
  WHERE previous_token_hash IS NOT NULL;
CREATE INDEX accounts_previous_read_only_token ON accounts (previous_read_only_token_hash)
  WHERE previous_read_only_token_hash IS NOT NULL;

-- Every group that can be written at the same time has a row of its own, so that none waits.
CREATE TABLE daily_counts (
  account_id text COLLATE "C" NOT NULL,
  day integer NOT NULL, -- since the beginning of 1970, UTC
  writer text COLLATE "C" NOT NULL,
  messages bigint NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  dropped bigint NOT NULL DEFAULT 0, -- dead letters removed because there were too many
  PRIMARY KEY (account_id, day, writer)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = false
);
CREATE INDEX daily_counts_age ON daily_counts (day);

-- What happened to the messages of an account in a minute, an hour or a day.
CREATE TABLE stats (
  account_id text COLLATE "C" NOT NULL,
  step_ms integer NOT NULL,
  start_at bigint NOT NULL,
  host text COLLATE "C" NOT NULL, -- empty for all hosts together
  published bigint NOT NULL,
  attempts bigint NOT NULL,
  failed_attempts bigint NOT NULL,
  delivered bigint NOT NULL,
  dead_lettered bigint NOT NULL,
  canceled bigint NOT NULL,
  duration_ms bigint NOT NULL,
  took_5 bigint NOT NULL,
  took_10 bigint NOT NULL,
  took_25 bigint NOT NULL,
  took_50 bigint NOT NULL,
  took_100 bigint NOT NULL,
  took_250 bigint NOT NULL,
  took_500 bigint NOT NULL,
  took_1000 bigint NOT NULL,
  took_2500 bigint NOT NULL,
  took_5000 bigint NOT NULL,
  took_10000 bigint NOT NULL,
  took_30000 bigint NOT NULL,
  took_60000 bigint NOT NULL,
  took_more bigint NOT NULL,
  PRIMARY KEY (account_id, step_ms, start_at, host)
) WITH (fillfactor = 70);
CREATE INDEX stats_age ON stats (step_ms, start_at);

-- What waited in an account at the end of a minute, an hour or a day.
CREATE TABLE backlog (
  account_id text COLLATE "C" NOT NULL,
  step_ms integer NOT NULL,
  start_at bigint NOT NULL,
  due bigint NOT NULL,
  later bigint NOT NULL,
  oldest_due_ms bigint,
  PRIMARY KEY (account_id, step_ms, start_at)
);
CREATE INDEX backlog_age ON backlog (step_ms, start_at);

-- What the service keeps about itself, in one row.
CREATE TABLE service (
  one integer PRIMARY KEY CHECK (one = 1),
  record text NOT NULL,
  left_at bigint NOT NULL DEFAULT 0 -- the latest due time of a node that has stopped
);
INSERT INTO service (one, record) VALUES (1, '{"operator":null,"isPaused":false}');

CREATE TABLE facts (
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  source_id text COLLATE "C", -- the message that a callback reports about
  facts text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (account_id, message_id)
);
CREATE INDEX facts_source ON facts (account_id, source_id, message_id) WHERE source_id IS NOT NULL;
-- Not compressed: the start of a body can be read alone, and no time goes into compressing it.
ALTER TABLE facts ALTER COLUMN body SET STORAGE EXTERNAL;

-- Rows come and go with every message, so that dead ones are to be cleared away at once.
CREATE TABLE messages (
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  phase smallint NOT NULL, -- 0 waiting, 1 active
  attempts integer NOT NULL,
  ready_at bigint NOT NULL,
  line text COLLATE "C" NOT NULL,
  line_after text COLLATE "C",
  position bigint, -- its position in a queue, by order of publishing
  host text NOT NULL,
  bytes integer NOT NULL,
  fence bigint NOT NULL,
  node_id text COLLATE "C",
  leased_at bigint,
  losses integer NOT NULL,
  suspect boolean NOT NULL,
  capped boolean NOT NULL DEFAULT false, -- counts toward its account's parallelism
  cancel_requested boolean NOT NULL,
  root_id text COLLATE "C",
  run_id text COLLATE "C",
  run_created_at bigint,
  queue text COLLATE "C", -- the queue whose slot it holds
  PRIMARY KEY (account_id, message_id)
) WITH (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_analyze_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = false
);
CREATE INDEX messages_waiting ON messages (account_id, line, ready_at, message_id)
  WHERE phase = 0 AND NOT suspect;
CREATE INDEX messages_queued ON messages (account_id, line, position)
  WHERE phase = 0 AND line_after IS NOT NULL;
CREATE INDEX messages_suspect ON messages (phase, ready_at) WHERE suspect;
CREATE INDEX messages_capped ON messages (account_id) WHERE phase = 1 AND capped;
CREATE INDEX messages_run ON messages (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;
-- Messages that wait in a queue and go on to a flow-control key.
CREATE INDEX messages_behind ON messages (account_id, line_after)
  WHERE line_after >= 'k:' AND line_after < 'k;';
-- Only queries for a node use this index: one of all active messages would be chosen for others.
CREATE INDEX messages_leased ON messages (node_id, leased_at) WHERE node_id IS NOT NULL;
-- These two count the messages that hold the slots of a line. While the server believes that there
-- are few messages it takes any index that begins with the account; the third column lets a query
-- demand an order that only these have.
CREATE INDEX messages_holding ON messages (account_id, queue, position) WHERE queue IS NOT NULL;
CREATE INDEX messages_keyed ON messages (account_id, line, leased_at)
  WHERE phase = 1 AND line >= 'k:' AND line < 'k;';

CREATE TABLE lines (
  account_id text COLLATE "C" NOT NULL,
  line text COLLATE "C" NOT NULL,
  next_at bigint,
  window_started_at bigint NOT NULL DEFAULT 0,
  window_starts integer NOT NULL DEFAULT 0,
  emptied boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, line)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_analyze_scale_factor = 0.2,
  autovacuum_analyze_threshold = 500,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = false
);
CREATE INDEX lines_due ON lines (account_id, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX lines_next ON lines (next_at) WHERE next_at IS NOT NULL;
-- Lines in which a message waits for a slot. Mostly there is none, and then a transaction that frees
-- a slot need not search line by line.
CREATE INDEX lines_shut ON lines (account_id) WHERE next_at IS NULL AND NOT emptied;

CREATE TABLE line_limits (
  account_id text COLLATE "C" NOT NULL,
  line text COLLATE "C" NOT NULL,
  parallelism integer,
  rate integer,
  period_ms bigint NOT NULL,
  paused boolean NOT NULL,
  pinned_parallelism boolean NOT NULL DEFAULT false,
  pinned_rate boolean NOT NULL DEFAULT false,
  created_at bigint NOT NULL DEFAULT 0,
  updated_at bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, line)
);
-- Keys that are neither paused nor pinned are removed once they are no longer used.
CREATE INDEX line_limits_idle ON line_limits (updated_at)
  WHERE line >= 'k:' AND line < 'k;' AND NOT paused AND NOT pinned_parallelism AND NOT pinned_rate;

-- One row holds what one act wrote in the log of a message, and the attempt whose end it tells of. It
-- owns two numbers, one for each entry that may be in it.
CREATE SEQUENCE log_numbers INCREMENT BY 2;
CREATE TABLE log_entries (
  account_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL DEFAULT nextval('log_numbers'),
  message_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  state text NOT NULL,
  attempt integer,
  status integer,
  error text,
  next_at bigint,
  next_state text,
  started_at bigint,
  ended_at bigint,
  node_id text, -- that made the attempt
  headers text,
  body bytea,
  PRIMARY KEY (account_id, number)
);
ALTER TABLE log_entries ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX log_entries_message ON log_entries (account_id, message_id, number);

CREATE SEQUENCE dead_letter_numbers;
CREATE TABLE dead_letters (
  account_id text COLLATE "C" NOT NULL,
  died_at bigint NOT NULL,
  number bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  status integer NOT NULL,
  error text,
  cause text COLLATE "C" NOT NULL, -- what failures of one kind have in common
  run_id text COLLATE "C",
  run_created_at bigint,
  PRIMARY KEY (account_id, died_at, number)
);
CREATE INDEX dead_letters_message ON dead_letters (account_id, message_id);
CREATE INDEX dead_letters_run ON dead_letters (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;

CREATE TABLE deduplications (
  account_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (account_id, key)
);
CREATE INDEX deduplications_age ON deduplications (expires_at);

CREATE TABLE nodes (
  node_id text COLLATE "C" PRIMARY KEY,
  beats bigint NOT NULL,
  renewed_at bigint NOT NULL,
  is_paused boolean NOT NULL DEFAULT false, -- it starts no delivery
  facts text NOT NULL -- its version, start and slots
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);

-- Drawn one by one: a position is never given out after a later one.
CREATE SEQUENCE queue_positions CACHE 1;

CREATE TABLE url_groups (
  account_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (account_id, name)
);

-- A tick changes only this row, so that it never writes the body of a schedule again.
CREATE TABLE schedules (
  account_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  next_at bigint,
  state text NOT NULL,
  PRIMARY KEY (account_id, schedule_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
CREATE INDEX schedules_due ON schedules (next_at, account_id, schedule_id)
  WHERE next_at IS NOT NULL;

CREATE TABLE schedule_settings (
  account_id text COLLATE "C" NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  settings text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (account_id, schedule_id)
);

-- Every act on a run locks its row here.
CREATE TABLE runs (
  account_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  phase smallint NOT NULL, -- 0 started, 1 success, 2 failed, 3 canceled
  next_ordinal integer NOT NULL,
  bytes bigint NOT NULL,
  stored_events integer NOT NULL,
  ended_at bigint,
  failure text,
  PRIMARY KEY (account_id, run_id, created_at)
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
-- At most one run with an id is active.
CREATE UNIQUE INDEX runs_active ON runs (account_id, run_id) WHERE phase = 0;
CREATE INDEX runs_made ON runs (account_id, created_at, run_id);
CREATE INDEX runs_ended ON runs (account_id, ended_at) WHERE ended_at IS NOT NULL;

-- Written when a run starts; the response when it ends.
CREATE TABLE run_facts (
  account_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  facts text NOT NULL,
  response bytea,
  PRIMARY KEY (account_id, run_id, created_at)
);
ALTER TABLE run_facts ALTER COLUMN response SET STORAGE EXTERNAL;

CREATE TABLE run_entries (
  account_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL, -- of the run
  ordinal integer NOT NULL,
  kind smallint NOT NULL, -- its index in ENTRY_KINDS
  message_id text COLLATE "C" NOT NULL,
  step_key text COLLATE "C",
  at bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (account_id, run_id, created_at, ordinal)
);
ALTER TABLE run_entries ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX run_entries_step ON run_entries (account_id, run_id, created_at, step_key)
  WHERE step_key IS NOT NULL;

CREATE TABLE waiters (
  account_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL, -- of the run
  step_id integer NOT NULL,
  deadline_at bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (account_id, event_id, run_id, created_at, step_id)
);
CREATE INDEX waiters_run ON waiters (account_id, run_id, created_at);
CREATE INDEX waiters_due ON waiters (deadline_at);

-- Events for one run that arrived before the run waited for them.
CREATE TABLE run_events (
  account_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL, -- of the run
  event_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  is_hook boolean NOT NULL DEFAULT false, -- for waits for webhooks alone
  body bytea NOT NULL,
  PRIMARY KEY (account_id, run_id, created_at, event_id, number)
);
ALTER TABLE run_events ALTER COLUMN body SET STORAGE EXTERNAL;
