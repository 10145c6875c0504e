-- What a queue has let through holds its slot for as long as anything of it lives, so that slots are
-- counted from messages and nothing is kept beside them.

ALTER TABLE messages ADD COLUMN queue text COLLATE "C"; -- the queue that let it through
UPDATE messages SET queue = h.line FROM queue_holds h
  WHERE h.account_id = messages.account_id AND h.root_id = messages.root_id;
DROP TABLE queue_holds;
CREATE INDEX messages_holding ON messages (account_id, queue) WHERE queue IS NOT NULL;

UPDATE schema_info SET oldest_program = 3;
