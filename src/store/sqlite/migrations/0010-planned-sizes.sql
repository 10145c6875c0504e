-- A planner that knows nothing believes that an account has ten rows of anything, and then reads all
-- of them in place of looking up one by an index. So it is told what a busy service comes to: rows
-- of the index, and how many of them have the same first column, the same first two, and so on. The
-- migration that adds an index later says its size too.

ANALYZE schema_info;
DELETE FROM sqlite_stat1;
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
  ('facts', 'sqlite_autoindex_facts_1', '1000000 100000 1'),
  ('messages', 'messages', '1000000 100000 1'),
  ('messages', 'messages_waiting', '1000000 100000 1000 10'),
  ('messages', 'messages_queued', '100000 10000 100 1'),
  ('messages', 'messages_suspect', '100 50 2'),
  ('messages', 'messages_leased', '1000 500 5'),
  ('messages', 'messages_keyed', '1000 100 10'),
  ('messages', 'messages_capped', '1000 100'),
  ('messages', 'messages_run', '100000 10000 2 2'),
  ('messages', 'messages_behind', '10000 1000 10'),
  ('lines', 'lines', '100000 10000 1'),
  ('lines', 'lines_due', '10000 1000 10'),
  ('lines', 'lines_next', '10000 10'),
  ('line_limits', 'line_limits', '100000 10000 1'),
  ('line_limits', 'line_limits_idle', '100000 10'),
  ('queue_holds', 'queue_holds', '10000 1000 1'),
  ('queue_holds', 'queue_holds_line', '10000 1000 2'),
  ('log_entries', 'log_entries', '1000000 100000 1'),
  ('log_entries', 'log_entries_message', '1000000 100000 3'),
  ('dead_letters', 'dead_letters', '100000 10000 10 1'),
  ('dead_letters', 'dead_letters_message', '100000 10000 2'),
  ('dead_letters', 'dead_letters_run', '10000 1000 2 2'),
  ('deduplications', 'deduplications', '100000 10000 1'),
  ('deduplications', 'deduplications_age', '100000 10'),
  ('topics', 'topics', '10000 1000 1'),
  ('schedules', 'schedules', '100000 10000 1'),
  ('schedules', 'schedules_due', '100000 100 10 1'),
  ('schedule_settings', 'sqlite_autoindex_schedule_settings_1', '100000 10000 1'),
  ('daily_counts', 'daily_counts', '10000 100 2 1'),
  ('daily_counts', 'daily_counts_age', '10000 100'),
  ('runs', 'runs', '1000000 100000 2 1'),
  ('runs', 'runs_made', '1000000 100000 10 1'),
  ('runs', 'runs_active', '100000 10000 1'),
  ('runs', 'runs_ended', '1000000 100000 10'),
  ('run_facts', 'run_facts', '1000000 100000 2 1'),
  ('run_entries', 'run_entries', '1000000 100000 20 10 1'),
  ('run_entries', 'run_entries_step', '1000000 100000 20 10 1'),
  ('waiters', 'waiters', '100000 10000 10 2 1 1'),
  ('waiters', 'waiters_due', '100000 10'),
  ('waiters', 'waiters_run', '100000 10000 2 1'),
  ('run_events', 'run_events', '10000 1000 10 10 2 1');
ANALYZE sqlite_schema;
