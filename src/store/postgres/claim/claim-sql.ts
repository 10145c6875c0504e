import { NO_DELAY } from "../../../core/model/message/message.ts";
import { LINES_MAX, SUSPECTS_MAX } from "../../../core/rules/line/turns.ts";
import { hasKey, LINE_KEY, MESSAGE_KEY, rowsByKey, withRow } from "../group/rows-by-key.ts";

const NAMED_LINES = "unnest($1::text[], $2::text[]) AS k (account_id, line)";
const NAMED_MESSAGES = "unnest($1::text[], $2::text[]) AS k (account_id, message_id)";

/**
 * The queue that a message came from, if it has been paused since. Here and below each row is
 * looked up by a subquery: given a join, a server that believes a table to be almost empty reads
 * all rows of the account.
 */
const PAUSED_QUEUE = `CASE WHEN root_id = message_id THEN (
    SELECT line FROM line_limits
    WHERE account_id = messages.account_id AND line = messages.queue AND paused) END`;

const HOLDING = `FROM messages h
    WHERE h.account_id = k.account_id AND h.queue = k.line AND h.line_after IS NULL
      AND (h.root_id = h.message_id OR coalesce(
        (SELECT false FROM messages
          WHERE account_id = h.account_id AND message_id = h.root_id LIMIT 1),
        (SELECT false FROM messages
          WHERE account_id = h.account_id AND queue = h.queue
            AND root_id = h.root_id AND message_id < h.message_id
          ORDER BY position LIMIT 1), true))
    ORDER BY h.position`;
const KEYED = `FROM messages
    WHERE account_id = k.account_id AND line = k.line
      AND phase = 1 AND line >= 'k:' AND line < 'k;'
    ORDER BY leased_at`;

/**
 * How many messages count against the limit of a line. Each slot of a queue counts once: its
 * message, or the first report of a message that has ended. A report counts only if its message is
 * not parked, since that one leaves the queue again. Reads messages_holding and messages_keyed; the
 * ORDER BY keeps the server from any other index, and count(DISTINCT) would sort each time.
 */
export const HELD = `CASE left(k.line, 2)
  WHEN 'q:' THEN (SELECT count(*) FROM (SELECT ${HOLDING}) holding)
  WHEN 'k:' THEN (SELECT count(*) FROM (SELECT ${KEYED}) keyed)
  ELSE 0 END`;

/** The messages that HELD counts in the lines of k, at most $3 of each. */
export const HOLDERS = `CASE left(k.line, 2)
  WHEN 'q:' THEN ARRAY(SELECT h.message_id ${HOLDING} LIMIT $3)
  WHEN 'k:' THEN ARRAY(SELECT message_id ${KEYED} LIMIT $3)
  ELSE '{}' END`;

/**
 * When the first waiting message of a line is ready, ignoring those before k.ready_from. Reads
 * messages_waiting, and messages_queued for suspects that are back in a queue.
 */
const NEXT_READY = `coalesce(
    (SELECT ready_at FROM messages
     WHERE account_id = k.account_id AND line = k.line AND phase = 0 AND NOT suspect
       AND ready_at >= k.ready_from
     ORDER BY ready_at, message_id LIMIT 1),
    CASE left(k.line, 2) WHEN 'q:' THEN (SELECT min(ready_at) FROM messages
     WHERE account_id = k.account_id AND line = k.line
       AND phase = 0 AND line_after IS NOT NULL) END)`;

/** The row of a message, by its primary key: `phase + 0` keeps the server from other indexes. */
function waiting(condition: string): string {
  return `CROSS JOIN LATERAL (
      SELECT account_id, message_id, line, ctid FROM messages
      WHERE ${hasKey(MESSAGE_KEY)} AND phase + 0 = 0 AND ${condition}
      FOR UPDATE SKIP LOCKED
    ) m`;
}

/** What changes in a message that leaves its queue. It joins its next line in order of creation. */
function leavingQueue(now: string): string {
  return `line = line_after, line_after = NULL, queue = line,
      ready_at = CASE ready_at WHEN ${NO_DELAY} THEN least(${now}, (
          SELECT created_at FROM facts
          WHERE account_id = messages.account_id AND message_id = messages.message_id))
        ELSE ready_at END`;
}

/** Leases messages given by their rows, and logs that they are under way. */
function leaseOf(free: string, changes = ""): string {
  return `WITH free AS (
      ${free}
    ), leased AS (
      UPDATE messages SET ${changes}phase = 1, node_id = $3, leased_at = $4, fence = fence + 1,
        capped = coalesce((SELECT true FROM accounts
          WHERE accounts.account_id = free.account_id AND parallelism_max IS NOT NULL), false)
      FROM free
      WHERE messages.ctid = free.ctid
      RETURNING messages.*, nth
    ), entries AS (
      INSERT INTO log_entries (account_id, message_id, at, state, attempt)
      SELECT account_id, message_id, $5, 'ACTIVE', attempts + 1 FROM leased ORDER BY nth
    )
    SELECT * FROM leased ORDER BY nth`;
}

/** The row of a line, unless another transaction has locked it. */
function lockedLine(columns: "*" | "ctid"): string {
  return `CROSS JOIN LATERAL (
      SELECT ${columns} FROM lines WHERE ${hasKey(LINE_KEY)} FOR UPDATE SKIP LOCKED
    ) l`;
}

/** The line is none of those named. They are few as a rule, so they are scanned for each line. */
function isNotAmong(accountIds: string, lines: string): string {
  return `NOT EXISTS (SELECT FROM unnest(${accountIds}::text[], ${lines}::text[])
        AS shut (account_id, line)
      WHERE shut.account_id = lines.account_id AND shut.line = lines.line)`;
}

/** The statements of a claim, each with the index it reads. */
export const CLAIM_SQL = {
  // lines_next
  nextLines: `SELECT account_id, line, next_at FROM lines
    WHERE next_at IS NOT NULL AND next_at >= $1 AND line <> ALL ($2::text[])
      AND ${isNotAmong("$3", "$4")}
      AND ($5 OR NOT (line >= 'r:' AND line < 'r;'))
    ORDER BY next_at LIMIT $6`,
  // messages_suspect
  nextSuspect: `SELECT min(ready_at) AS ready_at FROM messages
    WHERE suspect AND phase = 0 AND line_after IS NULL`,
  // lines_due: hops from account to account without reading the lines between.
  accountsAfter: `WITH RECURSIVE turn (account_id) AS (
      (SELECT account_id FROM lines WHERE next_at IS NOT NULL AND account_id > $1
       ORDER BY account_id, next_at LIMIT 1)
      UNION ALL
      SELECT (SELECT account_id FROM lines
              WHERE next_at IS NOT NULL AND account_id > turn.account_id
              ORDER BY account_id, next_at LIMIT 1)
      FROM turn WHERE account_id IS NOT NULL
    )
    SELECT account_id, (
      SELECT true FROM lines WHERE next_at IS NOT NULL
        AND (lines.account_id, next_at) >= (turn.account_id, $2)
        AND (lines.account_id, next_at) <= (turn.account_id, $3)
      ORDER BY lines.account_id, next_at LIMIT 1) AS due
    FROM turn WHERE account_id IS NOT NULL LIMIT $4`,
  // lines_due, since no other index has this order: by lines_next an account would wait for the
  // lines before it. A line that another transaction has locked stays due for the next claim.
  dueLines: `SELECT l.* FROM unnest($1::text[]) WITH ORDINALITY AS a (account_id, turn)
    CROSS JOIN LATERAL (
      SELECT account_id, line, next_at FROM lines
      WHERE next_at IS NOT NULL AND (account_id, next_at) >= (a.account_id, $2)
        AND (account_id, next_at) <= (a.account_id, $3) AND line <> ALL ($4::text[])
        AND ${isNotAmong("$5", "$6")}
        AND ($7 OR NOT (line >= 'r:' AND line < 'r;'))
      ORDER BY account_id, next_at LIMIT $8 FOR UPDATE SKIP LOCKED
    ) l
    ORDER BY a.turn, l.next_at`,
  // A queue or a key is served by one transaction at a time, see line-lock.ts.
  lockLines: `SELECT l.*, CASE WHEN left(l.line, 2) IN ('q:', 'k:')
      THEN pg_try_advisory_xact_lock($4::int, k.number) ELSE true END AS own
    FROM unnest($1::text[], $2::text[], $3::int[]) AS k (account_id, line, number)
    ${lockedLine("*")}`,
  // Without a message: one that is added makes it due.
  addLines: `INSERT INTO lines (account_id, line, emptied)
    SELECT *, true FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
  addDueLines: `INSERT INTO lines (account_id, line, next_at)
    SELECT *, $3::bigint FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
  lineStates: `SELECT m.parallelism, m.rate, m.period_ms, m.paused, a.halted, ${HELD} AS held,
      ${NEXT_READY} AS next_ready_at
    FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY
      AS k (account_id, line, ready_from, nth)
    ${withRow("line_limits", LINE_KEY, "m")}
    ${withRow("accounts", ["account_id"], "a")}
    ORDER BY k.nth`,
  // messages_waiting
  ready: `SELECT k.nth::int AS nth, m.* FROM
      unnest($1::text[], $2::text[], $3::bigint[], $4::int[]) WITH ORDINALITY
        AS k (account_id, line, ready_from, count, nth)
    CROSS JOIN LATERAL (
      SELECT message_id, host, bytes, ready_at, ${PAUSED_QUEUE} AS paused_queue FROM messages
      WHERE account_id = k.account_id AND line = k.line
        AND phase = 0 AND NOT suspect AND ready_at >= k.ready_from AND ready_at <= $5
      ORDER BY ready_at, message_id LIMIT k.count
    ) m
    ORDER BY k.nth, m.ready_at, m.message_id`,
  // messages_queued. One more than the queue has slots, to know whether a message stays behind.
  queueHeads: `SELECT k.nth::int AS nth, m.* FROM
      unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (account_id, line, nth)
    CROSS JOIN LATERAL (
      SELECT message_id, line_after, position, host, bytes,
        NOT suspect AND line_after < 'h;' AND NOT coalesce((
          SELECT next_at IS NOT NULL OR NOT emptied FROM lines
          WHERE account_id = k.account_id AND line = messages.line_after), false) AS is_direct
      FROM messages
      WHERE account_id = k.account_id AND line = k.line
        AND phase = 0 AND line_after IS NOT NULL AND ready_at <= $3
      ORDER BY position LIMIT 1 + coalesce((
        SELECT least(parallelism, ${LINES_MAX}) FROM line_limits WHERE ${hasKey(LINE_KEY)}), 1)
    ) m
    ORDER BY k.nth, m.position`,
  lockHeads: `SELECT m.* FROM ${NAMED_MESSAGES} ${waiting("line_after IS NOT NULL")}`,
  leaveQueue: `UPDATE messages SET ${leavingQueue("$3")}
    FROM ${rowsByKey("messages", MESSAGE_KEY, NAMED_MESSAGES)} h
    WHERE messages.ctid = h.ctid`,
  park: `WITH free AS (
      SELECT m.ctid
      FROM unnest($1::text[], $2::text[], $3::text[]) AS k (account_id, line, message_id)
      ${lockedLine("ctid")}
      ${waiting("line_after IS NULL")}
    )
    UPDATE messages SET line_after = line, line = queue, ready_at = ${NO_DELAY} FROM free
    WHERE messages.ctid = free.ctid
    RETURNING messages.account_id, messages.message_id`,
  makeLinesDue: `UPDATE lines SET next_at = $3, emptied = false FROM (
      SELECT l.ctid FROM ${NAMED_LINES} ${lockedLine("ctid")}
    ) l
    WHERE lines.ctid = l.ctid`,
  // An account that is halted, or whose row another claim has locked, comes without its limit.
  lockAccounts: `SELECT a.account_id, l.parallelism_max FROM accounts a
    LEFT JOIN LATERAL (
      SELECT parallelism_max FROM accounts
      WHERE account_id = a.account_id AND parallelism_max IS NOT NULL AND NOT halted
      FOR NO KEY UPDATE SKIP LOCKED
    ) l ON true
    WHERE a.account_id = ANY ($1::text[]) AND (a.parallelism_max IS NOT NULL OR a.halted)`,
  // messages_capped
  countCapped: `SELECT account_id, count(*) AS held FROM messages
    WHERE account_id = ANY ($1::text[]) AND phase = 1 AND capped GROUP BY account_id`,
  // messages_suspect. A parked one leaves through its queue again.
  suspects: `SELECT account_id, message_id, line, host, bytes, ${PAUSED_QUEUE} AS paused_queue
    FROM messages
    WHERE suspect AND phase = 0 AND ready_at <= $1 AND line_after IS NULL
      AND NOT EXISTS (SELECT 1 FROM messages WHERE suspect AND phase = 1)
    ORDER BY phase, ready_at LIMIT ${SUSPECTS_MAX}`,
  countStart: `UPDATE lines SET window_started_at = $3, window_starts = $4
    WHERE account_id = $1 AND line = $2`,
  // A message that another transaction is canceling is left to the next claim.
  lease: leaseOf(
    `SELECT m.account_id, m.ctid, k.nth
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (account_id, message_id, nth)
      ${waiting("line_after IS NULL")}`,
  ),
  // Of a queue only those before the first that another transaction has locked.
  leaseHeads: leaseOf(
    `SELECT account_id, ctid, nth FROM (
        SELECT m.account_id, m.ctid, k.nth, k.turn,
          row_number() OVER (PARTITION BY m.account_id, m.line ORDER BY k.nth) AS found
        FROM unnest($1::text[], $2::text[], $6::int[]) WITH ORDINALITY
          AS k (account_id, message_id, turn, nth)
        ${waiting("line_after IS NOT NULL")}
      ) heads WHERE found = turn`,
    `${leavingQueue("$4")}, `,
  ),
  reschedule: `UPDATE lines SET next_at = l.next_at, window_started_at = l.window_started_at,
      window_starts = l.window_starts, emptied = l.emptied
    FROM ${rowsByKey(
      "lines",
      LINE_KEY,
      `unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::int[], $6::boolean[])
      AS k (account_id, line, next_at, window_started_at, window_starts, emptied)`,
    )} l
    WHERE lines.ctid = l.ctid`,
  removeLines: `DELETE FROM lines USING ${rowsByKey("lines", LINE_KEY, NAMED_LINES)} l
    WHERE lines.ctid = l.ctid`,
} as const;
