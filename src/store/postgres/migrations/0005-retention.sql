-- What is kept for how long is a matter of the account, so that rows are found by it alone; ids of
-- messages sort by the time they were made.
DROP INDEX facts_age;
DROP INDEX dead_letters_age;

-- Dead letters that went because there were too many.
ALTER TABLE daily_counts ADD COLUMN dropped bigint NOT NULL DEFAULT 0;
