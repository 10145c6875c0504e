-- What users set: URL groups, schedules, and more about queues and flow-control keys.

CREATE TABLE topics (
  account_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (account_id, name)
);

-- What a tick changes is apart from what a user has set, so that no body is ever written twice.
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

ALTER TABLE line_limits ADD COLUMN pinned_parallelism boolean NOT NULL DEFAULT false;
ALTER TABLE line_limits ADD COLUMN pinned_rate boolean NOT NULL DEFAULT false;
ALTER TABLE line_limits ADD COLUMN created_at bigint NOT NULL DEFAULT 0;
ALTER TABLE line_limits ADD COLUMN updated_at bigint NOT NULL DEFAULT 0;
