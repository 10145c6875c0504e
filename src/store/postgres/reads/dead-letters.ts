import type { DeadLetterFilter } from "../../../core/model/message/dead-letter-filter.ts";
import {
  type DeadLetter,
  type DeadLetterKey,
  deadLetterId,
  parseDeadLetterId,
} from "../../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../core/model/message/facts.ts";
import { matchesDeadLetter } from "../../../core/views/matches-dead-letter.ts";
import {
  type DeadLetterGroup,
  GROUPS_MAX,
  type StoredDeadLetter,
} from "../../reader/dead-letters.ts";
import { WHOLE_BODY_BYTES } from "../../reader/messages.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import { toAttemptRecord } from "../../records/log-step.ts";
import { type Row, toDeadLetter, toDeadLetterGroup } from "../../records/rows.ts";
import { isAt, LOG_OF_MESSAGE } from "../group/rows-by-key.ts";
import type { Session } from "../driver/conversation.ts";
import { collect, type Offer, withBytes } from "./stored-bytes.ts";

export class DeadLetterReads implements NounReader<"deadLetters"> {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async get(
    { accountId, diedAt, number }: DeadLetterKey,
    bodyBytesMax = WHOLE_BODY_BYTES,
  ): Promise<StoredDeadLetter | null> {
    const [row] = await this.#session.query(SQL.deadLetter, [accountId, diedAt, number]);
    if (row === undefined) return null;
    const deadLetter = toDeadLetter(row);
    const { messageId } = deadLetter;
    const [[facts], [attempt]] = await Promise.all([
      this.#session.query(SQL.facts, [accountId, messageId, bodyBytesMax]),
      this.#session.query(SQL.attempt, [accountId, messageId, deadLetter.attempt]),
    ]);
    if (facts === undefined) return null;
    return {
      deadLetter,
      message: decodeFacts(facts["facts"] as string),
      body: facts["body"] as Uint8Array,
      attempt: attempt ? toAttemptRecord(attempt) : null,
    };
  }

  async list(
    accountId: string,
    filter: DeadLetterFilter,
    page: SliceRequest,
  ): Promise<Slice<StoredDeadLetter>> {
    const start = page.after === null ? null : parseDeadLetterId(accountId, page.after);
    const rows = await this.#session.query(...chunk(accountId, filter, page, start));
    const found = collect(page, rows, (row) => [foundIn(row, filter)]);
    const items = await withBytes(this.#session, accountId, found.items);
    return { ...found, items: items.map(({ told, ...bytes }) => ({ deadLetter: told, ...bytes })) };
  }

  async keys(
    accountId: string,
    filter: DeadLetterFilter,
    page: SliceRequest,
  ): Promise<Slice<DeadLetterKey>> {
    const start = page.after === null ? null : parseDeadLetterId(accountId, page.after);
    const rows = await this.#session.query(...chunk(accountId, filter, page, start));
    const found = collect(page, rows, (row) => [keyIn(row, filter)]);
    return { ...found, items: found.items.map(({ told }) => told) };
  }

  async groups(accountId: string, newestMax: number): Promise<DeadLetterGroup[]> {
    return (await this.#session.query(SQL.groups, [accountId, newestMax])).map(toDeadLetterGroup);
  }
}

function foundIn(row: Row, filter: DeadLetterFilter): Offer<DeadLetter> {
  const told = toDeadLetter(row);
  const position = deadLetterId(told);
  if (row["facts"] === null) return { position, found: null };
  const message = decodeFacts(row["facts"] as string);
  if (!matchesDeadLetter(filter, told, message)) return { position, found: null };
  const bodies = (row["body_bytes"] as number) + (row["attempt_bytes"] as number);
  const bytes = (row["facts"] as string).length + bodies;
  return { position, found: { read: () => ({ told, message, attempt: told.attempt }), bytes } };
}

function keyIn(row: Row, filter: DeadLetterFilter): Offer<DeadLetter> {
  const { position, found } = foundIn(row, filter);
  return { position, found: found && { ...found, bytes: 0 } };
}

/** A number of dead letters, by dead_letters_of_messages or dead_letters_of_runs. */
function chunk(
  accountId: string,
  { deadLetterIds, isOfRun }: DeadLetterFilter,
  { rowsMax, order }: SliceRequest,
  after: DeadLetterKey | null,
): [text: string, values: unknown[]] {
  const [compare, direction] = order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
  const named = deadLetterIds
    ?.map((id) => parseDeadLetterId(accountId, id))
    .filter((key) => key !== null);
  const numbers = named?.map(({ number }) => number) ?? null;
  const instants = named?.map(({ diedAt }) => diedAt) ?? null;
  return [
    `SELECT d.*, f.facts, coalesce(octet_length(f.body), 0) AS body_bytes,
       coalesce(octet_length(a.headers), 0) + coalesce(octet_length(a.body), 0) AS attempt_bytes
     FROM (
       SELECT * FROM dead_letters
       WHERE account_id = $1 AND run_id ${isOfRun ? "IS NOT NULL" : "IS NULL"}
         ${after === null ? "AND $2::bigint IS NULL AND $3::bigint IS NULL" : `AND (died_at, number) ${compare} ($2, $3)`}
         ${named === undefined ? "AND $4::bigint[] IS NULL AND $5::bigint[] IS NULL" : "AND (died_at, number) IN (SELECT * FROM unnest($4::bigint[], $5::bigint[]))"}
       ORDER BY died_at ${direction}, number ${direction} LIMIT $6
     ) d
     LEFT JOIN LATERAL (
       SELECT facts, body FROM facts
       WHERE account_id = d.account_id AND message_id = d.message_id OFFSET 0
     ) f ON true
     LEFT JOIN LATERAL (
       SELECT headers, body FROM log_entries
       WHERE ${isAt(LOG_OF_MESSAGE, ["d.account_id", "d.message_id"])}
         AND attempt = d.attempt AND started_at IS NOT NULL
       ORDER BY account_id, message_id, number OFFSET 0
     ) a ON true
     ORDER BY d.died_at ${direction}, d.number ${direction}`,
    [accountId, after?.diedAt ?? null, after?.number ?? null, instants, numbers, rowsMax],
  ];
}

const SQL = {
  // The error is that of the group only where all of it has the same.
  groups: `SELECT status, cause, is_of_run, count(*) AS count, min(died_at) AS first_at,
      max(died_at) AS last_at,
      CASE WHEN count(error) = count(*) AND min(error) = max(error) THEN min(error) END AS error
    FROM (
      SELECT died_at, status, error, cause, run_id IS NOT NULL AS is_of_run FROM dead_letters
      WHERE account_id = $1 ORDER BY died_at DESC, number DESC LIMIT $2
    ) newest
    GROUP BY status, cause, is_of_run ORDER BY count(*) DESC, max(died_at) DESC, cause LIMIT ${GROUPS_MAX}`,
  deadLetter: `SELECT * FROM dead_letters
    WHERE ${isAt(["account_id", "died_at", "number"], ["$1", "$2", "$3"])}
    ORDER BY account_id, died_at, number`,
  facts: `SELECT facts, substr(body, 1, $3) AS body FROM facts
    WHERE account_id = $1 AND message_id = $2`,
  attempt: `SELECT * FROM log_entries
    WHERE ${isAt(LOG_OF_MESSAGE, ["$1", "$2"])} AND attempt = $3 AND started_at IS NOT NULL
    ORDER BY account_id, message_id, number`,
} as const;
