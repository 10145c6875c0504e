import type { StatementSync } from "node:sqlite";

import type { DeadLetterFilter } from "../../../core/model/message/dead-letter-filter.ts";
import {
  type DeadLetter,
  type DeadLetterKey,
  deadLetterId,
  parseDeadLetterId,
} from "../../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../core/model/message/facts.ts";
import type { Message } from "../../../core/model/message/message.ts";
import { matchesDeadLetter } from "../../../core/views/matches-dead-letter.ts";
import {
  type DeadLetterGroup,
  GROUPS_MAX,
  type StoredDeadLetter,
} from "../../reader/dead-letters.ts";
import { WHOLE_BODY_BYTES } from "../../reader/messages.ts";
import { type Candidate, PageBuilder } from "../../reads/page-builder.ts";
import type { Slice, SliceRequest } from "../../reads/slices.ts";
import { toDeadLetter, toDeadLetterGroup } from "../../records/rows.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import type { InThread } from "../thread/in-thread.ts";
import { ATTEMPT_BYTES, StoredBytes } from "./stored-bytes.ts";

export class DeadLetterReads implements InThread<"deadLetters"> {
  readonly #database: Database;
  readonly #bytes: StoredBytes;
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#database = database;
    this.#bytes = new StoredBytes(database);
    this.#sql = prepareAll(database, SQL);
  }

  get(key: DeadLetterKey, bodyBytesMax?: number): StoredDeadLetter | null {
    return this.find(key, () => true, bodyBytesMax)?.read() ?? null;
  }

  list(accountId: string, filter: DeadLetterFilter, page: SliceRequest): Slice<StoredDeadLetter> {
    const builder = new PageBuilder<StoredDeadLetter>(page);
    for (const key of this.#keys(accountId, filter, page)) {
      const find = () =>
        this.find(key, (letter, message) => matchesDeadLetter(filter, letter, message));
      if (!builder.offer(deadLetterId(key), find)) break;
    }
    return builder.finish();
  }

  keys(accountId: string, filter: DeadLetterFilter, page: SliceRequest): Slice<DeadLetterKey> {
    const builder = new PageBuilder<DeadLetterKey>(page);
    for (const key of this.#keys(accountId, filter, page)) {
      const matches = (letter: DeadLetter, message: Message): boolean =>
        matchesDeadLetter(filter, letter, message);
      const find = () => this.find(key, matches) && { bytes: 0, read: () => key };
      if (!builder.offer(deadLetterId(key), find)) break;
    }
    return builder.finish();
  }

  groups(accountId: string, newestMax: number): DeadLetterGroup[] {
    return this.#sql.groups.all(accountId, newestMax).map(toDeadLetterGroup);
  }

  /** Large columns are read only once the dead letter is known to match. */
  find(
    key: DeadLetterKey,
    matches: (deadLetter: DeadLetter, message: Message) => boolean = () => true,
    bodyBytesMax = WHOLE_BODY_BYTES,
  ): Candidate<StoredDeadLetter> | null {
    const row = this.#sql.deadLetter.get(key.accountId, key.diedAt, key.number);
    if (row === undefined) return null;
    const deadLetter = toDeadLetter(row);
    const { accountId, messageId } = deadLetter;
    const facts = this.#sql.message.get(accountId, messageId);
    if (facts === undefined) return null;
    const factsText = facts["facts"] as string;
    const message = decodeFacts(factsText);
    if (!matches(deadLetter, message)) return null;
    const attemptBytes = this.#sql.attemptBytes.get(accountId, messageId, deadLetter.attempt);
    return {
      bytes:
        factsText.length +
        (facts["body_bytes"] as number) +
        ((attemptBytes?.["attempt_bytes"] as number | undefined) ?? 0),
      read: () => ({
        deadLetter,
        message,
        body: this.#bytes.bodyStart(deadLetter, bodyBytesMax),
        attempt: this.#bytes.attempt(deadLetter, deadLetter.attempt),
      }),
    };
  }

  *#keys(accountId: string, filter: DeadLetterFilter, page: SliceRequest): Iterable<DeadLetterKey> {
    if (filter.deadLetterIds !== undefined) {
      yield* namedKeys(accountId, filter.deadLetterIds, page);
      return;
    }
    const [compare, direction] = page.order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    const [index, runs] = filter.isOfRun
      ? ["dead_letters_of_runs", "IS NOT NULL"]
      : ["dead_letters_of_messages", "IS NULL"];
    const after = page.after === null ? null : parseDeadLetterId(accountId, page.after);
    const rows = this.#database
      .prepare(
        `SELECT * FROM dead_letters INDEXED BY ${index}
         WHERE account_id = ? AND run_id ${runs}
         ${after === null ? "" : `AND (died_at, number) ${compare} (?, ?)`}
         ORDER BY died_at ${direction}, number ${direction}`,
      )
      .iterate(accountId, ...(after === null ? [] : [after.diedAt, after.number]));
    for (const row of rows) yield toDeadLetter(row);
  }
}

/** The named ids in the order of the list; texts that are no ids are skipped. */
export function namedKeys(
  accountId: string,
  ids: readonly string[],
  { after, order }: SliceRequest,
): DeadLetterKey[] {
  const sign = order === "latestFirst" ? -1 : 1;
  const compare = (one: DeadLetterKey, other: DeadLetterKey): number =>
    sign * (one.diedAt - other.diedAt || one.number - other.number);
  const start = after === null ? null : parseDeadLetterId(accountId, after);
  return [...new Set(ids)]
    .map((id) => parseDeadLetterId(accountId, id))
    .filter((key) => key !== null)
    .filter((key) => start === null || compare(key, start) > 0)
    .toSorted(compare);
}

const SQL = {
  // The error is that of the group only where all of it has the same.
  groups: `SELECT status, cause, is_of_run, count(*) AS count, min(died_at) AS first_at,
      max(died_at) AS last_at,
      CASE WHEN count(error) = count(*) AND min(error) = max(error) THEN min(error) END AS error
    FROM (
      SELECT died_at, status, error, cause, run_id IS NOT NULL AS is_of_run FROM dead_letters
      WHERE account_id = ? ORDER BY died_at DESC, number DESC LIMIT ?
    ) newest
    GROUP BY status, cause, is_of_run ORDER BY count(*) DESC, max(died_at) DESC, cause LIMIT ${GROUPS_MAX}`,
  deadLetter: "SELECT * FROM dead_letters WHERE account_id = ? AND died_at = ? AND number = ?",
  message: `SELECT facts, octet_length(body) AS body_bytes FROM facts
    WHERE account_id = ? AND message_id = ?`,
  attemptBytes: `SELECT ${ATTEMPT_BYTES} AS attempt_bytes FROM log_entries e
    WHERE account_id = ? AND message_id = ? AND attempt = ? AND started_at IS NOT NULL`,
} as const;
