-- Each node says that it starts no delivery, so that a pause can wait until all have stopped.
ALTER TABLE nodes ADD COLUMN is_paused INTEGER NOT NULL DEFAULT 0;
