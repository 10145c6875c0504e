import type { StatementSync } from "node:sqlite";

import {
  type DeadLetterKey,
  deadLetterId,
  parseDeadLetterId,
} from "../../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../../core/model/workflow/dead-run.ts";
import type { RunState } from "../../../core/model/workflow/run.ts";
import { matchesDeadRun } from "../../../core/views/matches-dead-run.ts";
import { toAttemptRecord } from "../../records/log-step.ts";
import { type Candidate, PageBuilder } from "../../reads/page-builder.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import { type Row, toDeadLetter } from "../../records/rows.ts";
import { toRunState } from "../../records/run-records.ts";
import { keyOf } from "../tables/runs.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";
import { DeadLetterReads, namedKeys } from "./dead-letters.ts";
import { ATTEMPT_BYTES, NO_BYTES } from "./stored-bytes.ts";

export class DeadRunReads implements InThread<"deadRuns"> {
  readonly #deadLetters: DeadLetterReads;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#deadLetters = new DeadLetterReads(database);
    this.#sql = prepareAll(database, SQL);
  }

  get(key: DeadLetterKey): DeadRun | null {
    const row = this.#sql.get.get(key.accountId, key.diedAt, key.number);
    return row === undefined ? null : (this.#candidate(row)?.read() ?? null);
  }

  list(accountId: string, filter: DeadRunFilter, page: SliceRequest): Slice<DeadRun> {
    const builder = new PageBuilder<DeadRun>(page);
    for (const row of this.#rows(accountId, filter, page)) {
      const letter = toDeadLetter(row);
      const find = () =>
        matchesDeadRun(filter, letter, toRunState(row)) ? this.#candidate(row) : null;
      if (!builder.offer(deadLetterId(letter), find)) break;
    }
    return builder.finish();
  }

  keys(accountId: string, filter: DeadRunFilter, page: SliceRequest): Slice<DeadLetterKey> {
    const builder = new PageBuilder<DeadLetterKey>(page);
    for (const row of this.#rows(accountId, filter, page)) {
      const letter = toDeadLetter(row);
      const isWanted = matchesDeadRun(filter, letter, toRunState(row));
      const find = () => (isWanted ? { bytes: 0, read: () => letter } : null);
      if (!builder.offer(deadLetterId(letter), find)) break;
    }
    return builder.finish();
  }

  /** The dead letters of runs in the order of the list. Those that the filter names are looked up by their keys. */
  *#rows(accountId: string, { deadLetterIds }: DeadRunFilter, page: SliceRequest): Iterable<Row> {
    if (deadLetterIds !== undefined) {
      for (const { diedAt, number } of namedKeys(accountId, deadLetterIds, page)) {
        const row = this.#sql.get.get(accountId, diedAt, number);
        if (row !== undefined) yield row;
      }
      return;
    }
    const isLatestFirst = page.order === "latestFirst";
    const end = isLatestFirst ? END : { diedAt: 0, number: 0 };
    const after = page.after === null ? end : (parseDeadLetterId(accountId, page.after) ?? end);
    const statement = isLatestFirst ? this.#sql.latestFirst : this.#sql.earliestFirst;
    yield* statement.iterate(accountId, after.diedAt, after.number);
  }

  #candidate(row: Row): Candidate<DeadRun> | null {
    const state = toRunState(row);
    const letter = this.#deadLetters.find(toDeadLetter(row));
    if (letter === null) return null;
    const { accountId, failure } = state;
    const payloadBytes = this.#sql.payloadBytes.get(...keyOf(state))?.["bytes"];
    const report = this.#sql.lastAttemptBytes.get(accountId, failure?.call?.messageId ?? null);
    const reportBytes = report?.["attempt_bytes"];
    return {
      bytes:
        letter.bytes +
        (row["facts"] as string).length +
        ((payloadBytes as number | undefined) ?? 0) +
        ((reportBytes as number | undefined) ?? 0),
      read: () => {
        const payload = this.#sql.payload.get(...keyOf(state))?.["body"] as Uint8Array | undefined;
        const reportAnswer = this.#reportAnswer(state);
        return { ...letter.read(), state, payload: payload ?? NO_BYTES, reportAnswer };
      },
    };
  }

  #reportAnswer({ accountId, failure }: RunState) {
    if (failure?.call === undefined) return null;
    const row = this.#sql.lastAttempt.get(accountId, failure.call.messageId);
    return row === undefined ? null : toAttemptRecord(row);
  }
}

const END = { diedAt: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER };

const DEAD_RUN = `SELECT d.*, r.*, facts
  FROM dead_letters d INDEXED BY dead_letters_of_runs
  JOIN runs r ON r.account_id = d.account_id AND r.run_id = d.run_id
    AND r.created_at = d.run_created_at
  JOIN run_facts f ON f.account_id = d.account_id AND f.run_id = d.run_id
    AND f.created_at = d.run_created_at
  WHERE d.account_id = ? AND d.run_id IS NOT NULL`;

const SQL = {
  get: `${DEAD_RUN} AND d.died_at = ? AND d.number = ?`,
  latestFirst: `${DEAD_RUN} AND (d.died_at, d.number) < (?, ?)
    ORDER BY d.died_at DESC, d.number DESC`,
  earliestFirst: `${DEAD_RUN} AND (d.died_at, d.number) > (?, ?)
    ORDER BY d.died_at, d.number`,
  payload: `SELECT body FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal = 0`,
  payloadBytes: `SELECT octet_length(body) AS bytes FROM run_entries
    WHERE account_id = ? AND run_id = ? AND created_at = ? AND ordinal = 0`,
  // log_entries_message
  lastAttemptBytes: `SELECT ${ATTEMPT_BYTES} AS attempt_bytes FROM log_entries e
    WHERE account_id = ? AND message_id = ? AND started_at IS NOT NULL
    ORDER BY number DESC LIMIT 1`,
  // log_entries_message
  lastAttempt: `SELECT * FROM log_entries WHERE account_id = ? AND message_id = ?
    AND started_at IS NOT NULL ORDER BY number DESC LIMIT 1`,
} as const;
