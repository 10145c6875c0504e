-- Dead letters of messages and of runs are listed separately: a page of one skips none of the other.
CREATE INDEX dead_letters_of_messages ON dead_letters (account_id, died_at, number)
  WHERE run_id IS NULL;
CREATE INDEX dead_letters_of_runs ON dead_letters (account_id, died_at, number)
  WHERE run_id IS NOT NULL;
