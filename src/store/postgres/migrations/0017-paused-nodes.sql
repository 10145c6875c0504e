-- Each node says that it starts no delivery, so that a pause can wait until all have stopped.
ALTER TABLE nodes ADD COLUMN is_paused boolean NOT NULL DEFAULT false;
