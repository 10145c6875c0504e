-- Workflow runs: a slim row that every act on a run goes through, and what belongs to it.

CREATE TABLE runs (
  account_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  phase smallint NOT NULL, -- 0 started, 1 success, 2 failed, 3 cancelled
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
-- A name stands for one run at a time.
CREATE UNIQUE INDEX runs_active ON runs (account_id, run_id) WHERE phase = 0;
CREATE INDEX runs_made ON runs (account_id, created_at, run_id);
CREATE INDEX runs_ended ON runs (account_id, ended_at) WHERE ended_at IS NOT NULL;

-- Written when a run is started, and its response when it ends.
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
  kind smallint NOT NULL, -- its place in ENTRY_KINDS
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

-- Events for one run that came before it waited for them.
CREATE TABLE run_events (
  account_id text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL, -- of the run
  event_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (account_id, run_id, created_at, event_id, number)
);
ALTER TABLE run_events ALTER COLUMN body SET STORAGE EXTERNAL;

ALTER TABLE messages ADD COLUMN run_id text COLLATE "C";
ALTER TABLE messages ADD COLUMN run_created_at bigint;
CREATE INDEX messages_run ON messages (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;

ALTER TABLE dead_letters ADD COLUMN run_id text COLLATE "C";
ALTER TABLE dead_letters ADD COLUMN run_created_at bigint;
CREATE INDEX dead_letters_run ON dead_letters (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;
