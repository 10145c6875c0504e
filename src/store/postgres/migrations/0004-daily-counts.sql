-- What each account did on each day. Every group that can be under way at once has a row of its
-- own, so that none waits for another.
CREATE TABLE daily_counts (
  account_id text COLLATE "C" NOT NULL,
  day integer NOT NULL, -- since the beginning of 1970, UTC
  writer text COLLATE "C" NOT NULL,
  messages bigint NOT NULL,
  delivered bigint NOT NULL,
  failed bigint NOT NULL,
  PRIMARY KEY (account_id, day, writer)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = false
);
CREATE INDEX daily_counts_age ON daily_counts (day);
