import type { StatementSync } from "node:sqlite";

import type { BacklogCount } from "../../../core/model/account/backlog.ts";
import { STAT_STEPS_MS } from "../../../core/model/account/stats.ts";
import type { DeadLetterKey } from "../../../core/model/message/dead-letter.ts";
import { type Lease, NO_DELAY } from "../../../core/model/message/message-state.ts";
import { toBacklogCount } from "../../records/backlog-table.ts";
import type { Counts, LogEnd, Oldest, Size } from "../../reader/upkeep.ts";
import { NUMBERS_PER_STEP } from "../../records/log-step.ts";
import { OF_ACCOUNT } from "./of-account.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";

export class UpkeepReads implements InThread<"upkeep"> {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  leases(nodeId: string, leasedBefore: number): Lease[] {
    return this.#sql.leases.all(nodeId, leasedBefore).map((row) => ({
      accountId: row["account_id"] as string,
      messageId: row["message_id"] as string,
      fence: row["fence"] as number,
    }));
  }

  oldest(accountIds: readonly string[]): Oldest[] {
    return accountIds.map((accountId) => ({
      accountId,
      messageAt: (this.#sql.message.get(accountId)?.["at"] as number | undefined) ?? null,
      deadLetterAt: (this.#sql.deadLetter.get(accountId)?.["at"] as number | undefined) ?? null,
    }));
  }

  olderDeadLetter(
    accountId: string,
    than: DeadLetterKey | null,
    steps: number,
  ): DeadLetterKey | null {
    const { diedAt, number } = than ?? YOUNGEST;
    const row = this.#sql.older.get(accountId, diedAt, number, steps - 1);
    if (row === undefined) return null;
    return { accountId, diedAt: row["died_at"] as number, number: row["number"] as number };
  }

  /** The one writer numbers entries in the order in which it commits them. */
  logEnd(): LogEnd {
    return { number: this.#sql.logEnd.get()?.["number"] as number, writes: null };
  }

  counts(): Counts {
    const row = this.#sql.counts.get();
    return { waiting: row?.["waiting"] as number, active: row?.["active"] as number };
  }

  backlogCountedAt(): number | null {
    const row = this.#sql.backlogCountedAt.get(STAT_STEPS_MS.minute);
    return (row?.["at"] as number | null | undefined) ?? null;
  }

  countBacklog(now: number, accountsMax: number): BacklogCount[] {
    const rows = this.#sql.countBacklog.all({
      now,
      accounts_max: accountsMax,
      step_ms: STAT_STEPS_MS.minute,
    });
    return rows.map((row) => toBacklogCount(row, now));
  }

  size(): Size {
    return { usedBytes: this.#sql.size.get()?.["used_bytes"] as number };
  }
}

const YOUNGEST = { diedAt: Number.MAX_SAFE_INTEGER, number: 0 };

const IS_DUE = `ready_at <= :now AND ready_at <> ${NO_DELAY}`;

const SQL = {
  logEnd: `SELECT coalesce(max(number) + ${NUMBERS_PER_STEP - 1}, 0) AS number FROM log_entries`,
  // messages_leased
  leases: `SELECT account_id, message_id, fence FROM messages
    WHERE phase = 1 AND node_id = ? AND leased_at < ?`,
  // log_entries_account. A message is removed with all its entries.
  message: `SELECT at FROM log_entries WHERE ${OF_ACCOUNT} ORDER BY number LIMIT 1`,
  deadLetter: `SELECT died_at AS at FROM dead_letters WHERE account_id = ?
    ORDER BY died_at, number LIMIT 1`,
  older: `SELECT died_at, number FROM dead_letters
    WHERE account_id = ? AND (died_at, number) < (?, ?)
    ORDER BY died_at DESC, number DESC LIMIT 1 OFFSET ?`,
  // messages_leased
  counts: `SELECT active, everything - active AS waiting FROM (
    SELECT (SELECT count(*) FROM messages WHERE node_id IS NOT NULL) AS active,
      (SELECT count(*) FROM messages) AS everything)`,
  // backlog_age
  backlogCountedAt: "SELECT max(start_at) AS at FROM backlog WHERE step_ms = ?",
  // messages_waiting, and messages_suspect for the few that are not in it; backlog_age for accounts that waited before.
  // Ids sort by when messages were made.
  countBacklog: `SELECT counted.*, (SELECT created_at FROM facts
      WHERE facts.account_id = counted.account_id AND message_id = queued_id) AS queued_at
    FROM (
      SELECT account_id, sum(due) AS due, sum(later) AS later, min(oldest_at) AS oldest_at,
        min(queued_id) AS queued_id
      FROM (
        SELECT account_id, sum(ready_at <= :now) AS due, sum(ready_at > :now) AS later,
          min(iif(${IS_DUE}, ready_at, NULL)) AS oldest_at,
          min(iif(ready_at = ${NO_DELAY}, message_id, NULL)) AS queued_id
        FROM messages WHERE phase = 0 AND suspect = 0 GROUP BY account_id
        UNION ALL
        SELECT account_id, ready_at <= :now, ready_at > :now, iif(${IS_DUE}, ready_at, NULL),
          iif(ready_at = ${NO_DELAY}, message_id, NULL)
        FROM messages WHERE phase = 0 AND suspect = 1
        UNION ALL
        SELECT account_id, 0, 0, NULL, NULL FROM backlog
        WHERE step_ms = :step_ms AND due + later > 0
          AND start_at = (SELECT max(start_at) FROM backlog WHERE step_ms = :step_ms))
      GROUP BY account_id ORDER BY sum(due) DESC LIMIT :accounts_max) AS counted`,
  size: `SELECT (page_count - freelist_count) * page_size AS used_bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
} as const;
