-- Workflow runs: a slim row that every act on a run goes through, and what belongs to it.

CREATE TABLE runs (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  phase INTEGER NOT NULL, -- 0 started, 1 success, 2 failed, 3 cancelled
  next_ordinal INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  stored_events INTEGER NOT NULL,
  ended_at INTEGER,
  failure TEXT,
  PRIMARY KEY (account_id, run_id, created_at)
) STRICT, WITHOUT ROWID;
-- A name stands for one run at a time.
CREATE UNIQUE INDEX runs_active ON runs (account_id, run_id) WHERE phase = 0;
CREATE INDEX runs_made ON runs (account_id, created_at, run_id);
CREATE INDEX runs_ended ON runs (account_id, ended_at) WHERE ended_at IS NOT NULL;

-- Written when a run is started, and its response when it ends.
CREATE TABLE run_facts (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  response BLOB,
  PRIMARY KEY (account_id, run_id, created_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_entries (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- of the run
  ordinal INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- its place in ENTRY_KINDS
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

-- Events for one run that came before it waited for them.
CREATE TABLE run_events (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL, -- of the run
  event_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (account_id, run_id, created_at, event_id, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE messages ADD COLUMN run_id TEXT;
ALTER TABLE messages ADD COLUMN run_created_at INTEGER;
CREATE INDEX messages_run ON messages (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;

ALTER TABLE dead_letters ADD COLUMN run_id TEXT;
ALTER TABLE dead_letters ADD COLUMN run_created_at INTEGER;
CREATE INDEX dead_letters_run ON dead_letters (account_id, run_id, run_created_at)
  WHERE run_id IS NOT NULL;
