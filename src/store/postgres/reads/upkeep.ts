import type { BacklogCount } from "../../../core/model/account/backlog.ts";
import { STAT_STEPS_MS } from "../../../core/model/account/stats.ts";
import type { DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import { type Lease, NO_DELAY } from "../../../core/model/message/message-state.ts";
import type { Counts, LogEnd, Oldest, Size } from "../../reader/upkeep.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { toBacklogCount } from "../../records/backlog-table.ts";
import type { Session } from "../driver/conversation.ts";

export class UpkeepReads implements NounReader<"upkeep"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async leases(nodeId: string, leasedBefore: number): Promise<Lease[]> {
    const rows = await this.#session.query(SQL.leases, [nodeId, leasedBefore]);
    return rows.map((row) => ({
      accountId: row["account_id"] as string,
      messageId: row["message_id"] as string,
      fence: row["fence"] as number,
    }));
  }

  async oldest(accountIds: readonly string[]): Promise<Oldest[]> {
    const rows = await this.#session.query(SQL.oldest, [accountIds]);
    return rows.map((row) => ({
      accountId: row["account_id"] as string,
      messageAt: row["message_at"] as number | null,
      deadLetterAt: row["dead_letter_at"] as number | null,
    }));
  }

  async olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): Promise<DeadLetterKey | null> {
    const { diedAt, number } = than ?? YOUNGEST;
    const values = [accountId, diedAt, number, steps - 1];
    const [row] = await this.#session.query(SQL.older, values);
    if (row === undefined) return null;
    return { accountId, diedAt: row["died_at"] as number, number: row["number"] as number };
  }

  async logEnd(): Promise<LogEnd> {
    const [row] = await this.#session.query(SQL.logEnd);
    const next = row?.["next"] as number;
    const ids = (row?.["running"] ?? []) as readonly number[];
    const running = ids.map((id) => wholeId(id, next));
    return {
      number: row?.["number"] as number,
      writes: { oldest: Math.min(next, ...running), next },
    };
  }

  async counts(): Promise<Counts> {
    const [row] = await this.#session.query(SQL.counts);
    const active = row?.["active"] as number;
    return { waiting: (row?.["all"] as number) - active, active };
  }

  async backlogCountedAt(): Promise<number | null> {
    const [row] = await this.#session.query(SQL.backlogCountedAt, [STAT_STEPS_MS.minute]);
    return (row?.["at"] as number | null | undefined) ?? null;
  }

  async countBacklog(now: number, accountsMax: number): Promise<BacklogCount[]> {
    const values = [now, accountsMax, STAT_STEPS_MS.minute];
    const rows = await this.#session.query(SQL.countBacklog, values);
    return rows.map((row) => toBacklogCount(row, now));
  }

  /** Deleted rows stay in PostgreSQL's files until they are reused. */
  size(): Promise<Size> {
    return Promise.resolve({ usedBytes: null });
  }
}

/** The server shows the last 32 bits of a running transaction's number. */
function wholeId(id: number, next: number): number {
  const behind = (((next - id) % ID_BITS) + ID_BITS) % ID_BITS;
  // One that began after `next` was read is ahead of it.
  return behind < ID_BITS / 2 ? next - behind : next;
}

const ID_BITS = 2 ** 32;
const YOUNGEST = { diedAt: Number.MAX_SAFE_INTEGER, number: 0 };

const IS_DUE = `ready_at <= $1 AND ready_at <> ${NO_DELAY}`;

const SQL = {
  // The transactions of this program's role in this database; those of others write no log.
  logEnd: `SELECT CASE WHEN is_called THEN last_value + ${NUMBERS_PER_STEP - 1} ELSE 0 END AS number,
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next,
      ARRAY(SELECT backend_xid::text::bigint FROM pg_stat_activity
        WHERE datname = current_database() AND backend_xid IS NOT NULL) AS running
    FROM log_numbers`,
  // messages_leased
  leases: `SELECT account_id, message_id, fence FROM messages
    WHERE phase = 1 AND node_id = $1 AND leased_at < $2`,
  oldest: `SELECT a.account_id,
      (SELECT f.created_at FROM facts f WHERE f.account_id = a.account_id
        ORDER BY f.message_id LIMIT 1) AS message_at,
      (SELECT d.died_at FROM dead_letters d WHERE d.account_id = a.account_id
        ORDER BY d.died_at, d.number LIMIT 1) AS dead_letter_at
    FROM unnest($1::text[]) AS a (account_id)`,
  older: `SELECT died_at, number FROM dead_letters
    WHERE account_id = $1 AND (died_at, number) < ($2, $3)
    ORDER BY died_at DESC, number DESC LIMIT 1 OFFSET $4`,
  counts: `SELECT (SELECT count(*) FROM messages) AS all,
    (SELECT count(*) FROM messages WHERE node_id IS NOT NULL) AS active`,
  backlogCountedAt: "SELECT max(start_at) AS at FROM backlog WHERE step_ms = $1",
  // messages_waiting, and messages_suspect for the few that are not in it; backlog_age for accounts that waited before.
  // Ids sort by when messages were made.
  countBacklog: `SELECT counted.*, (SELECT created_at FROM facts
      WHERE facts.account_id = counted.account_id AND message_id = queued_id) AS queued_at
    FROM (
      SELECT account_id, sum(due)::bigint AS due, sum(later)::bigint AS later,
        min(oldest_at) AS oldest_at, min(queued_id) AS queued_id
      FROM (
        SELECT account_id, count(*) FILTER (WHERE ready_at <= $1) AS due,
          count(*) FILTER (WHERE ready_at > $1) AS later,
          min(ready_at) FILTER (WHERE ${IS_DUE}) AS oldest_at,
          min(message_id) FILTER (WHERE ready_at = ${NO_DELAY}) AS queued_id
        FROM messages WHERE phase = 0 AND NOT suspect GROUP BY account_id
        UNION ALL
        SELECT account_id, (ready_at <= $1)::int, (ready_at > $1)::int,
          CASE WHEN ${IS_DUE} THEN ready_at END,
          CASE ready_at WHEN ${NO_DELAY} THEN message_id END
        FROM messages WHERE phase = 0 AND suspect
        UNION ALL
        SELECT account_id, 0, 0, NULL, NULL FROM backlog
        WHERE step_ms = $3 AND due + later > 0
          AND start_at = (SELECT max(start_at) FROM backlog WHERE step_ms = $3)) every_part
      GROUP BY account_id ORDER BY sum(due) DESC LIMIT $2) counted`,
} as const;
