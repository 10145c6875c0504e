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
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";
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
    const found = await this.#matching(accountId, filter, page, bytesOf);
    const whole = await Promise.all(found.items.map((row) => this.#whole(row)));
    return { ...found, items: whole.filter((item) => item !== null) };
  }

  async keys(
    accountId: string,
    filter: DeadRunFilter,
    page: SliceRequest,
  ): Promise<Slice<DeadLetterKey>> {
    const found = await this.#matching(accountId, filter, page, () => 0);
    return { ...found, items: found.items.map(toDeadLetter) };
  }

  async #matching(
    accountId: string,
    filter: DeadRunFilter,
    page: SliceRequest,
    sizeOf: (row: Row) => number,
  ): Promise<Slice<Row>> {
    const builder = new PageBuilder<Row>(page);
    const rows = await this.#session.query(...chunk(accountId, filter, page));
    for (const row of rows) {
      const letter = toDeadLetter(row);
      const isWanted = matchesDeadRun(filter, letter, toRunState(row));
      const find = () => (isWanted ? { bytes: sizeOf(row), read: () => row } : null);
      if (!builder.offer(deadLetterId(letter), find)) break;
    }
    return rows.length < page.rowsMax ? builder.finish() : builder.finishEarly();
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

function bytesOf(row: Row): number {
  return (row["facts"] as string).length + (row["bodies_bytes"] as number);
}

/** The next dead letters of runs. Those that the filter names are looked up by their keys. */
function chunk(
  accountId: string,
  { deadLetterIds }: DeadRunFilter,
  page: SliceRequest,
): [text: string, values: unknown[]] {
  const isLatestFirst = page.order === "latestFirst";
  const end = isLatestFirst ? END : { diedAt: 0, number: 0 };
  const after = page.after === null ? end : (parseDeadLetterId(accountId, page.after) ?? end);
  const values = [accountId, after.diedAt, after.number, page.rowsMax];
  if (deadLetterIds === undefined) {
    return [isLatestFirst ? SQL.latestFirst : SQL.earliestFirst, values];
  }
  const named = deadLetterIds
    .map((id) => parseDeadLetterId(accountId, id))
    .filter((key) => key !== null);
  return [
    isLatestFirst ? SQL.namedLatestFirst : SQL.namedEarliestFirst,
    [...values, named.map(({ diedAt }) => diedAt), named.map(({ number }) => number)],
  ];
}

const END = { diedAt: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER };

/** The length of a body is known without reading it. */
const ANSWER_BYTES = "coalesce(octet_length(headers), 0) + coalesce(octet_length(body), 0)";

/** By log_entries_message. */
function newestAnswer(columns: string, messageId: string, condition = "true"): string {
  return `SELECT ${columns} FROM log_entries
      WHERE ${isAt(LOG_OF_MESSAGE, ["d.account_id", messageId])}
        AND started_at IS NOT NULL AND ${condition}
      ORDER BY account_id DESC, message_id DESC, number DESC LIMIT 1`;
}

const OF_LETTER =
  "account_id = d.account_id AND run_id = d.run_id AND created_at = d.run_created_at";

/** The dead letters of runs, by dead_letters_of_runs, with each run looked up by its key. */
function deadRuns(letters: string, order = "", limit = ""): string {
  return `SELECT d.*, r.*, facts, coalesce(octet_length(p.body), 0)
    + coalesce((SELECT octet_length(body) FROM facts
      WHERE account_id = d.account_id AND message_id = d.message_id), 0)
    + coalesce((${newestAnswer(ANSWER_BYTES, "d.message_id", "attempt = d.attempt")}), 0)
    + coalesce((${newestAnswer(ANSWER_BYTES, "(r.failure::jsonb #>> '{call,messageId}')")}), 0)
      AS bodies_bytes
  FROM (
    SELECT * FROM dead_letters d
    WHERE account_id = $1 AND run_id IS NOT NULL AND ${letters} ${order} ${limit}
  ) d
  CROSS JOIN LATERAL (SELECT * FROM runs WHERE ${OF_LETTER} OFFSET 0) r
  CROSS JOIN LATERAL (SELECT facts FROM run_facts WHERE ${OF_LETTER} OFFSET 0) f
  LEFT JOIN LATERAL (
    SELECT body FROM run_entries WHERE ${OF_LETTER} AND ordinal = 0 OFFSET 0) p ON true
  ${order}`;
}

const BEFORE = "(died_at, number) < ($2, $3)";
const AFTER = "(died_at, number) > ($2, $3)";
const NAMED = "(died_at, number) IN (SELECT * FROM unnest($5::bigint[], $6::bigint[]))";
const LATEST_FIRST = "ORDER BY d.died_at DESC, d.number DESC";
const EARLIEST_FIRST = "ORDER BY d.died_at, d.number";

const SQL = {
  get: deadRuns(isAt(["died_at", "number"], ["$2", "$3"]), EARLIEST_FIRST),
  latestFirst: deadRuns(BEFORE, LATEST_FIRST, "LIMIT $4"),
  earliestFirst: deadRuns(AFTER, EARLIEST_FIRST, "LIMIT $4"),
  namedLatestFirst: deadRuns(`${BEFORE} AND ${NAMED}`, LATEST_FIRST, "LIMIT $4"),
  namedEarliestFirst: deadRuns(`${AFTER} AND ${NAMED}`, EARLIEST_FIRST, "LIMIT $4"),
  payload: `SELECT body FROM run_entries
    WHERE account_id = $1 AND run_id = $2 AND created_at = $3 AND ordinal = 0`,
  lastAttempt: `SELECT * FROM log_entries
    WHERE ${isAt(LOG_OF_MESSAGE, ["$1", "$2"])} AND started_at IS NOT NULL
    ORDER BY account_id DESC, message_id DESC, number DESC LIMIT 1`,
} as const;
