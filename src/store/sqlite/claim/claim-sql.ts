import { NO_DELAY } from "../../../core/model/message/message.ts";
import { SUSPECT_VISIT_MS, SUSPECTS_MAX } from "../../../core/rules/line/turns.ts";

/** The statements of a claim, each with the index it reads. */
export const CLAIM_SQL = {
  // lines_due: hops from account to account without reading the lines between.
  accountsAfter: `WITH RECURSIVE turn (account_id) AS (
      SELECT min(account_id) FROM lines WHERE next_at IS NOT NULL AND account_id > ?1
      UNION ALL
      SELECT (SELECT min(account_id) FROM lines
              WHERE next_at IS NOT NULL AND account_id > turn.account_id)
      FROM turn WHERE account_id IS NOT NULL
    )
    SELECT account_id, EXISTS (
      SELECT 1 FROM lines
      WHERE lines.account_id = turn.account_id AND next_at IS NOT NULL AND next_at <= ?2) AS due
    FROM turn WHERE account_id IS NOT NULL LIMIT ?3`,
  // lines_due
  dueLines: `SELECT * FROM lines
    WHERE account_id = ?1 AND next_at IS NOT NULL AND next_at <= ?2
      AND (?3 = 1 OR NOT (line >= 'r:' AND line < 'r;'))
    ORDER BY next_at LIMIT ?4`,
  // lines_next
  nextLines: `SELECT account_id, line, next_at FROM lines
    WHERE next_at IS NOT NULL ORDER BY next_at`,
  // messages_waiting
  ready: `SELECT account_id, message_id, attempts, fence, host, bytes, root_id, queue
    FROM messages
    WHERE account_id = ? AND line = ? AND phase = 0 AND suspect = 0 AND ready_at <= ?
    ORDER BY ready_at, message_id LIMIT ?`,
  // messages_queued
  queueHead: `SELECT message_id, line_after FROM messages
    WHERE account_id = ? AND line = ? AND phase = 0 AND line_after IS NOT NULL AND ready_at <= ?
    ORDER BY position LIMIT ?`,
  // It joins its next line in order of creation.
  leaveQueue: `UPDATE messages SET line = line_after, line_after = NULL, queue = line,
      ready_at = iif(ready_at <> ${NO_DELAY}, ready_at, min(?1, (
        SELECT created_at FROM facts
        WHERE account_id = messages.account_id AND message_id = messages.message_id)))
    WHERE account_id = ?2 AND message_id = ?3`,
  isPaused: "SELECT 1 AS found FROM line_limits WHERE account_id = ? AND line = ? AND paused = 1",
  park: `UPDATE messages SET line_after = line, line = queue, ready_at = ${NO_DELAY}
    WHERE account_id = ? AND message_id = ?`,
  // messages_suspect. A parked one leaves through its queue again.
  activeSuspect: "SELECT 1 AS found FROM messages WHERE suspect = 1 AND phase = 1 LIMIT 1",
  waitingSuspects: `SELECT account_id, message_id, attempts, fence, host, bytes, line, root_id,
      queue
    FROM messages WHERE suspect = 1 AND phase = 0 AND ready_at <= ? AND line_after IS NULL
    ORDER BY ready_at LIMIT ${SUSPECTS_MAX}`,
  nextSuspect: `SELECT max(min(ready_at), ?1 + ${SUSPECT_VISIT_MS}) AS next_at
    FROM messages WHERE suspect = 1 AND phase = 0 AND line_after IS NULL`,
  lease: `UPDATE messages SET phase = 1, node_id = ?, leased_at = ?, fence = fence + 1, capped = ?
    WHERE account_id = ? AND message_id = ?`,
} as const;

const HOLDING = `FROM messages AS h
    WHERE h.account_id = ?1 AND h.queue = ?2 AND h.line_after IS NULL
      AND (h.root_id = h.message_id OR (
        SELECT line_after FROM messages
        WHERE account_id = h.account_id AND message_id = h.root_id) IS NULL)`;
const KEYED = `FROM messages AS m WHERE m.account_id = ?1 AND m.line = ?2
    AND m.phase = 1 AND m.line >= 'k:' AND m.line < 'k;'`;

/** How many messages count against the limit of a line. */
export const HELD_SQL = {
  // messages_holding. Each slot counts once, and not at all when its message is parked, since that
  // one leaves the queue again.
  queue: `SELECT count(DISTINCT h.root_id) ${HOLDING}`,
  // messages_keyed
  key: `SELECT count(*) ${KEYED}`,
} as const;

/** What holds the slots; of a message and its callbacks the first. */
export const HOLDERS_SQL = {
  queue: `SELECT min(h.message_id) AS message_id ${HOLDING}
    GROUP BY h.root_id ORDER BY min(h.position), min(h.message_id) LIMIT ?3`,
  key: `SELECT m.message_id ${KEYED} ORDER BY m.leased_at, m.message_id LIMIT ?3`,
} as const;

/** The statements that read the limits and load of a line, and reschedule it. */
export const LINES_SQL = {
  line: "SELECT * FROM lines WHERE account_id = ? AND line = ?",
  // For a queue too: its first message by position may be ready later than one behind it.
  nextReady: `SELECT ready_at FROM messages
    WHERE account_id = ? AND line = ? AND phase = 0 AND suspect = 0
    ORDER BY ready_at LIMIT 1`,
  nextQueued: `SELECT min(ready_at) AS ready_at FROM messages
    WHERE account_id = ? AND line = ? AND phase = 0 AND line_after IS NOT NULL`,
  queueState: `SELECT parallelism, rate, period_ms, paused, (${HELD_SQL.queue}) AS held
    FROM (SELECT 1) LEFT JOIN line_limits ON account_id = ?1 AND line = ?2`,
  keyState: `SELECT parallelism, rate, period_ms, paused, (${HELD_SQL.key}) AS held
    FROM (SELECT 1) LEFT JOIN line_limits ON account_id = ?1 AND line = ?2`,
  // messages_capped
  countCapped: `SELECT count(*) AS held FROM messages
    WHERE account_id = ? AND phase = 1 AND capped = 1`,
  account: "SELECT parallelism_max, halted FROM accounts WHERE account_id = ?",
  update: `UPDATE lines SET next_at = ?, window_started_at = ?, window_starts = ?, emptied = ?
    WHERE account_id = ? AND line = ?`,
  remove: "DELETE FROM lines WHERE account_id = ? AND line = ?",
} as const;
