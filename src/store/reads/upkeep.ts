import { STAT_STEPS_MS } from "../../core/model/account/stats.ts";
import { NO_DELAY } from "../../core/model/message/message.ts";
import type { Agenda, Counts, Upcoming } from "../reader/upkeep.ts";
import { toBacklogCount } from "../records/stats-table.ts";
import { type Row, toServiceRecord } from "../records/rows.ts";
import { all, type Conditions, type Noun, one, only, rowsOf } from "./reading.ts";

export interface UpkeepSql {
  /** When the first message of an account was made. */
  readonly firstMessage: string;
  /**
   * The last number of the log. Where transactions commit in another order than that of their
   * numbers: the numbers of those that run, and that of the next.
   */
  readonly logEnd: string;
  readonly size: string;
}

const IS_DUE = `ready_at <= $1 AND ready_at <> ${NO_DELAY}`;

function allSql(own: UpkeepSql, { isWaiting, isWaitingSuspect }: Conditions) {
  return {
    ...own,
    // messages_leased
    leases: `SELECT account_id, message_id, fence FROM messages
      WHERE phase = 1 AND node_id = $1 AND leased_at < $2`,
    firstDeadLetter: `SELECT died_at AS at FROM dead_letters WHERE account_id = $1
      ORDER BY died_at, number LIMIT 1`,
    older: `SELECT died_at, number FROM dead_letters
      WHERE account_id = $1 AND (died_at, number) < ($2, $3)
      ORDER BY died_at DESC, number DESC LIMIT 1 OFFSET $4`,
    // messages_leased
    counts: `SELECT active, everything - active AS waiting FROM (
      SELECT (SELECT count(*) FROM messages WHERE node_id IS NOT NULL) AS active,
        (SELECT count(*) FROM messages) AS everything) counted`,
    upcoming: `SELECT ${UPCOMING}`,
    // messages_leased, lines_next, waiters_due, schedules_due
    agenda: `SELECT (SELECT count(*) FROM messages WHERE node_id IS NOT NULL) AS under_way,
        (SELECT count(*) FROM lines WHERE next_at <= $2) AS due_lines,
        (SELECT count(*) FROM waiters WHERE deadline_at <= $2) AS due_waits,
        (SELECT count(*) FROM schedules WHERE next_at <= $1) AS due_schedules,
        (SELECT min(next_at) FROM lines WHERE next_at > $2) AS line_at,
        (SELECT min(deadline_at) FROM waiters WHERE deadline_at > $2) AS wait_at,
        (SELECT min(next_at) FROM schedules WHERE next_at > $1) AS tick_at`,
    // backlog_age
    backlogCountedAt: "SELECT max(start_at) AS at FROM backlog WHERE step_ms = $1",
    // messages_waiting, and messages_suspect for the few that are not in it; backlog_age for accounts that waited before.
    // Ids sort by when messages were made.
    countBacklog: `SELECT counted.*, (SELECT created_at FROM facts
        WHERE facts.account_id = counted.account_id AND message_id = queued_id) AS queued_at
      FROM (
        SELECT account_id, sum(due) AS due, sum(later) AS later, min(oldest_at) AS oldest_at,
          min(queued_id) AS queued_id
        FROM (
          ${countedBy(isWaiting)}
          UNION ALL
          ${countedBy(isWaitingSuspect)}
          UNION ALL
          SELECT account_id, 0, 0, NULL, NULL FROM backlog
          WHERE step_ms = $3 AND due + later > 0
            AND start_at = (SELECT max(start_at) FROM backlog WHERE step_ms = $3)) every_part
        GROUP BY account_id ORDER BY sum(due) DESC LIMIT $2) counted`,
  } as const;
}

/** The columns of what is upcoming. Reads waiters_due and schedules_due. */
export const UPCOMING = `(SELECT min(deadline_at) FROM waiters) AS wait_ends_at,
  (SELECT min(next_at) FROM schedules WHERE next_at IS NOT NULL) AS tick_at,
  (SELECT record FROM service) AS record`;

export function toUpcoming(row: Row): Upcoming {
  const { isPaused, move = null, secretKey = null } = toServiceRecord(row);
  return {
    waitEndsAt: row["wait_ends_at"] as number | null,
    tickAt: row["tick_at"] as number | null,
    isPaused,
    move,
    secretKey,
  };
}

function toAgenda(row: Row): Agenda {
  const counts = row as Readonly<Record<string, number>>;
  const later = [row["line_at"], row["wait_at"]].filter((at) => at !== null) as number[];
  return {
    underWay: counts["under_way"]!,
    due: counts["due_lines"]! + counts["due_waits"]! + counts["due_schedules"]!,
    workAt: later.length === 0 ? null : Math.min(...later),
    tickAt: row["tick_at"] as number | null,
  };
}

function countedBy(condition: string): string {
  return `SELECT account_id, count(*) FILTER (WHERE ready_at <= $1) AS due,
      count(*) FILTER (WHERE ready_at > $1) AS later,
      min(ready_at) FILTER (WHERE ${IS_DUE}) AS oldest_at,
      min(message_id) FILTER (WHERE ready_at = ${NO_DELAY}) AS queued_id
    FROM messages WHERE ${condition} GROUP BY account_id`;
}

export function upkeepReads(own: UpkeepSql, conditions: Conditions): Noun<"upkeep"> {
  const sql = allSql(own, conditions);
  return {
    sql,
    reads: {
      leases: (nodeId, leasedBefore) =>
        all(sql.leases, [nodeId, leasedBefore], (row) => ({
          accountId: row["account_id"] as string,
          messageId: row["message_id"] as string,
          fence: row["fence"] as number,
        })),
      *oldest(accountIds) {
        const keys = accountIds.map((accountId) => [accountId]);
        const [messages, deadLetters] = yield [
          { text: sql.firstMessage, values: [], keys },
          { text: sql.firstDeadLetter, values: [], keys },
        ];
        return accountIds.map((accountId, index) => ({
          accountId,
          messageAt: instantIn(messages![index]![0]),
          deadLetterAt: instantIn(deadLetters![index]![0]),
        }));
      },
      olderDeadLetter: (accountId, than, steps) => {
        const { diedAt, number } = than ?? YOUNGEST;
        return one(sql.older, [accountId, diedAt, number, steps - 1], (row) => ({
          accountId,
          diedAt: row["died_at"] as number,
          number: row["number"] as number,
        }));
      },
      *logEnd() {
        const [row] = yield* rowsOf(sql.logEnd);
        const number = row?.["number"] as number;
        const next = row?.["next"] as number | null;
        if (next === null) return { number, writes: null };
        const ids = (row?.["running"] ?? []) as readonly number[];
        const running = ids.map((id) => wholeId(id, next));
        return { number, writes: { oldest: Math.min(next, ...running), next } };
      },
      counts: () => only(sql.counts, [], ({ waiting, active }) => ({ waiting, active }) as Counts),
      upcoming: () => only(sql.upcoming, [], toUpcoming),
      agenda: (now, dueAt) => only(sql.agenda, [now, dueAt], toAgenda),
      backlogCountedAt: () => only(sql.backlogCountedAt, [STAT_STEPS_MS.minute], instantIn),
      countBacklog: (now, accountsMax) =>
        all(sql.countBacklog, [now, accountsMax, STAT_STEPS_MS.minute], (row) =>
          toBacklogCount(row, now),
        ),
      size: () => only(sql.size, [], (row) => ({ usedBytes: row["used_bytes"] as number | null })),
    },
  };
}

function instantIn(row: Row | undefined): number | null {
  return (row?.["at"] ?? null) as number | null;
}

/** PostgreSQL shows the last 32 bits of a running transaction's number. */
function wholeId(id: number, next: number): number {
  const behind = (((next - id) % ID_BITS) + ID_BITS) % ID_BITS;
  // One that began after `next` was read is ahead of it.
  return behind < ID_BITS / 2 ? next - behind : next;
}

const ID_BITS = 2 ** 32;
const YOUNGEST = { diedAt: Number.MAX_SAFE_INTEGER, number: 0 };
