-- What a queue has let through holds its slot for as long as anything of it lives, so that slots are
-- counted from messages and nothing is kept beside them.

ALTER TABLE messages ADD COLUMN queue TEXT; -- the queue that let it through
UPDATE messages SET queue = h.line FROM queue_holds AS h
  WHERE h.account_id = messages.account_id AND h.root_id = messages.root_id;
DROP TABLE queue_holds;
CREATE INDEX messages_holding ON messages (account_id, queue) WHERE queue IS NOT NULL;

DELETE FROM sqlite_stat1 WHERE tbl = 'queue_holds';
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('messages', 'messages_holding', '10000 1000 2');
ANALYZE sqlite_schema;

UPDATE schema_info SET oldest_program = 3;
