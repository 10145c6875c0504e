-- An index of all that is under way served every question about something under way, as long as
-- there was little of it; only those who ask for a node are to find it.

DROP INDEX messages_leased;
CREATE INDEX messages_leased ON messages (node_id, leased_at) WHERE node_id IS NOT NULL;
