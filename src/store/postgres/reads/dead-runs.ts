import {
  type DeadLetterKey,
  deadLetterId,
  parseDeadLetterId,
} from "../../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../../core/model/workflow/dead-run.ts";
import { matchesDeadRun } from "../../../core/views/matches-dead-run.ts";
import { toAttemptRecord } from "../../records/log-step.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { PageBuilder } from "../../reads/page-builder.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import { type Row, toDeadLetter } from "../../records/rows.ts";
import { toRunState } from "../../records/run-records.ts";
import type { Session } from "../driver/conversation.ts";
import { DeadLetterReads } from "./dead-letters.ts";

export class DeadRunReads implements NounReader<"deadRuns"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(key: DeadLetterKey): Promise<DeadRun | null> {
    const [row] = await this.#session.query(SQL.get, [key.accountId, key.diedAt, key.number]);
    return row === undefined ? null : this.#whole(row);
  }

  async list(
    accountId: string,
    filter: DeadRunFilter,
    page: SliceRequest,
  ): Promise<Slice<DeadRun>> {
    const builder = new PageBuilder<Row>(page);
    const isLatestFirst = page.order === "latestFirst";
    const end = isLatestFirst ? END : { diedAt: 0, number: 0 };
    const after = page.after === null ? end : (parseDeadLetterId(accountId, page.after) ?? end);
    const values = [accountId, after.diedAt, after.number, page.rowsMax];
    const rows = await this.#session.query(
      isLatestFirst ? SQL.latestFirst : SQL.earliestFirst,
      values,
    );
    for (const row of rows) {
      const letter = toDeadLetter(row);
      const bytes = (row["facts"] as string).length + (row["bodies_bytes"] as number);
      const isWanted = matchesDeadRun(filter, letter, toRunState(row));
      const find = () => (isWanted ? { bytes, read: () => row } : null);
      if (!builder.offer(deadLetterId(letter), find)) break;
    }
    const found = rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
    const whole = await Promise.all(found.items.map((row) => this.#whole(row)));
    return { ...found, items: whole.filter((item) => item !== null) };
  }

  async #whole(row: Row): Promise<DeadRun | null> {
    const state = toRunState(row);
    const { accountId, runId, createdAt } = state;
    const reportId = state.failure?.call?.messageId ?? null;
    const [letter, [payload], [answer]] = await Promise.all([
      new DeadLetterReads(this.#session).get(toDeadLetter(row)),
      this.#session.query(SQL.payload, [accountId, runId, createdAt]),
      this.#session.query(SQL.lastAttempt, [accountId, reportId]),
    ]);
    if (letter === null) return null;
    return {
      ...letter,
      state,
      payload: (payload?.["body"] as Uint8Array | undefined) ?? new Uint8Array(0),
      reportAnswer: answer === undefined ? null : toAttemptRecord(answer),
    };
  }
}

const END = { diedAt: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER };

/** The length of a body is known without reading it. */
const ANSWER_BYTES = "coalesce(octet_length(headers), 0) + coalesce(octet_length(body), 0)";

const DEAD_RUN = `SELECT d.*, r.*, facts, coalesce(octet_length(p.body), 0)
    + coalesce((SELECT octet_length(body) FROM facts
      WHERE account_id = d.account_id AND message_id = d.message_id), 0)
    + coalesce((SELECT ${ANSWER_BYTES} FROM log_entries
      WHERE account_id = d.account_id AND message_id = d.message_id AND attempt = d.attempt
        AND started_at IS NOT NULL LIMIT 1), 0)
    + coalesce((SELECT ${ANSWER_BYTES} FROM log_entries
      WHERE account_id = d.account_id
        AND message_id = (r.failure::jsonb #>> '{call,messageId}') AND started_at IS NOT NULL
      ORDER BY number + 0 DESC LIMIT 1), 0) AS bodies_bytes
  FROM dead_letters d
  JOIN runs r ON r.account_id = d.account_id AND r.run_id = d.run_id
    AND r.created_at = d.run_created_at
  JOIN run_facts f ON f.account_id = d.account_id AND f.run_id = d.run_id
    AND f.created_at = d.run_created_at
  LEFT JOIN run_entries p ON p.account_id = d.account_id AND p.run_id = d.run_id
    AND p.created_at = d.run_created_at AND p.ordinal = 0
  WHERE d.account_id = $1`;

const SQL = {
  get: `${DEAD_RUN} AND d.died_at = $2 AND d.number = $3`,
  latestFirst: `${DEAD_RUN} AND (d.died_at, d.number) < ($2, $3)
    ORDER BY d.died_at DESC, d.number DESC LIMIT $4`,
  earliestFirst: `${DEAD_RUN} AND (d.died_at, d.number) > ($2, $3)
    ORDER BY d.died_at, d.number LIMIT $4`,
  payload: `SELECT body FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal = 0`,
  // log_entries_message
  lastAttempt: `SELECT * FROM log_entries WHERE account_id = $1 AND message_id = $2
    AND started_at IS NOT NULL ORDER BY number + 0 DESC LIMIT 1`,
} as const;
