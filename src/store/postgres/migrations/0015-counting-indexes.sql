-- What takes up the room of a line is counted by these. The server takes any index that begins with
-- the account for as good while it believes there are few messages; one that must be read in its
-- order can only be this.

DROP INDEX messages_holding;
CREATE INDEX messages_holding ON messages (account_id, queue, position) WHERE queue IS NOT NULL;
DROP INDEX messages_keyed;
CREATE INDEX messages_keyed ON messages (account_id, line, leased_at)
  WHERE phase = 1 AND line >= 'k:' AND line < 'k;';
