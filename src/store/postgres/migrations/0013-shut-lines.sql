-- Lines in which somebody waits for room. There are few, and mostly none: who makes room, or would
-- go through a line, need not look for each line when there is none at all.

CREATE INDEX lines_shut ON lines (account_id) WHERE next_at IS NULL AND NOT emptied;
