-- Facts are written once; the hot row of a message lives only as long as the message does.
-- Keys compare by their bytes, so that both databases sort alike.

CREATE TABLE accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  read_only_token_hash text COLLATE "C" NOT NULL UNIQUE,
  parallelism_max integer,
  record text NOT NULL
);

CREATE TABLE facts (
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  facts text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (account_id, message_id)
);
CREATE INDEX facts_age ON facts (created_at, account_id, message_id);
-- Kept as it is: the start of a body can be read alone, and no time goes into compressing it.
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
  position bigint, -- its place in a queue, by order of publishing
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
CREATE INDEX messages_leased ON messages (node_id, leased_at) WHERE phase = 1;
CREATE INDEX messages_keyed ON messages (account_id, line)
  WHERE phase = 1 AND line >= 'k:' AND line < 'k;';
CREATE INDEX messages_capped ON messages (account_id) WHERE phase = 1 AND capped;

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

CREATE TABLE line_limits (
  account_id text COLLATE "C" NOT NULL,
  line text COLLATE "C" NOT NULL,
  parallelism integer,
  rate integer,
  period_ms bigint NOT NULL,
  paused boolean NOT NULL,
  PRIMARY KEY (account_id, line)
);

-- A queue's slot, held until its message and every callback made from it have ended.
CREATE TABLE queue_holds (
  account_id text COLLATE "C" NOT NULL,
  root_id text COLLATE "C" NOT NULL,
  line text COLLATE "C" NOT NULL,
  pending integer NOT NULL,
  PRIMARY KEY (account_id, root_id)
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
CREATE INDEX queue_holds_line ON queue_holds (account_id, line);

CREATE SEQUENCE log_numbers;
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
  PRIMARY KEY (account_id, number)
);
CREATE INDEX log_entries_message ON log_entries (account_id, message_id, number);

CREATE TABLE attempts (
  account_id text COLLATE "C" NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint NOT NULL,
  status integer NOT NULL,
  error text,
  headers text NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (account_id, message_id, number)
);
ALTER TABLE attempts ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE SEQUENCE dead_letter_numbers;
CREATE TABLE dead_letters (
  account_id text COLLATE "C" NOT NULL,
  died_at bigint NOT NULL,
  number bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  attempt integer NOT NULL,
  status integer NOT NULL,
  error text,
  PRIMARY KEY (account_id, died_at, number)
);
CREATE INDEX dead_letters_message ON dead_letters (account_id, message_id);
CREATE INDEX dead_letters_age ON dead_letters (died_at);

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
  renewed_at bigint NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100);

-- Drawn one by one: a position is never given out after a later one.
CREATE SEQUENCE queue_positions CACHE 1;
