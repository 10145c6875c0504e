-- What is kept for how long is a matter of the account, so that rows are found by it alone.
DROP INDEX dead_letters_age;

-- Dead letters that went because there were too many.
ALTER TABLE daily_counts ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
