-- What users set: URL groups, schedules, and more about queues and flow-control keys.

CREATE TABLE topics (
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;

-- What a tick changes is apart from what a user has set, so that no body is ever written twice.
CREATE TABLE schedules (
  account_id TEXT NOT NULL,
  schedule_id TEXT NOT NULL,
  next_at INTEGER,
  state TEXT NOT NULL,
  PRIMARY KEY (account_id, schedule_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX schedules_due ON schedules (next_at, account_id, schedule_id)
  WHERE next_at IS NOT NULL;

-- The body is the last column, so that reading the settings does not touch its pages.
CREATE TABLE schedule_settings (
  account_id TEXT NOT NULL,
  schedule_id TEXT NOT NULL,
  settings TEXT NOT NULL,
  body BLOB NOT NULL,
  UNIQUE (account_id, schedule_id)
) STRICT;

ALTER TABLE line_limits ADD COLUMN pinned_parallelism INTEGER NOT NULL DEFAULT 0;
ALTER TABLE line_limits ADD COLUMN pinned_rate INTEGER NOT NULL DEFAULT 0;
ALTER TABLE line_limits ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE line_limits ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
