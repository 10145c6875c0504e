-- A row that lies in the index of its key is read whole wherever that index is searched, and the
-- results of runs may be large.

CREATE TABLE run_facts_apart (
  account_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  facts TEXT NOT NULL,
  response BLOB,
  UNIQUE (account_id, run_id, created_at)
) STRICT;
INSERT INTO run_facts_apart SELECT account_id, run_id, created_at, facts, response FROM run_facts;
DROP TABLE run_facts;
ALTER TABLE run_facts_apart RENAME TO run_facts;

DELETE FROM sqlite_stat1 WHERE tbl IN ('run_facts', 'run_facts_apart');
INSERT INTO sqlite_stat1 (tbl, idx, stat)
  VALUES ('run_facts', 'sqlite_autoindex_run_facts_1', '1000000 100000 2 1');
ANALYZE sqlite_schema;
