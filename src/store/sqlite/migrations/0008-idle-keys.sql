-- Flow-control keys that nobody has paused or pinned are forgotten when they are not used any more.

CREATE INDEX line_limits_idle ON line_limits (updated_at)
  WHERE line >= 'k:' AND line < 'k;' AND paused = 0 AND pinned_parallelism = 0 AND pinned_rate = 0;
-- Messages that will stand under a key once their queues have let them through.
CREATE INDEX messages_behind ON messages (account_id, line_after)
  WHERE line_after >= 'k:' AND line_after < 'k;';
