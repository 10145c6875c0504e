import type { DeadLetterFilter } from "../../../core/model/message/dead-letter-filter.ts";
import {
  type DeadLetterKey,
  deadLetterId,
  parseDeadLetterId,
} from "../../../core/model/message/dead-letter.ts";
import { decodeFacts } from "../../../core/model/message/facts.ts";
import { LOG_STATES, type LogEntry } from "../../../core/model/message/log-entry.ts";
import type { LogFilter } from "../../../core/model/message/log-filter.ts";
import { matchesDeadLetter } from "../../../core/views/matches-dead-letter.ts";
import { matchesLog } from "../../../core/views/matches-log.ts";
import { type Candidate, PageBuilder } from "../../reads/page.ts";
import {
  LOG_BODY_BYTES_MAX,
  type LoggedMessage,
  type PageRequest,
  type Slice,
  type SliceRequest,
  type StoredDeadLetter,
} from "../../reader.ts";
import { ENTRY_COLUMNS, entriesInOrder, tellsOfAnswer } from "../../records/log-step.ts";
import { type Row, toDeadLetter } from "../../records/rows.ts";
import type { Database } from "../thread/connection.ts";
import { OF_ACCOUNT } from "./of-account.ts";
import { ATTEMPT_BYTES, type SqliteRead } from "./read.ts";

type Values = (string | number)[];

/** Lists, newest first unless asked otherwise, filtered by the rules of the core. */
export class SqliteList {
  readonly #database: Database;
  readonly #read: SqliteRead;

  constructor(database: Database, read: SqliteRead) {
    this.#database = database;
    this.#read = read;
  }

  log(accountId: string, filter: LogFilter, page: SliceRequest): Slice<LoggedMessage> {
    const builder = new PageBuilder<LoggedMessage>(page);
    for (const row of this.#logRows(accountId, filter, page)) {
      for (const { number, entry } of entriesInOrder(row, page)) {
        const find = () => this.#loggedIn(row, entry, filter, page);
        if (!builder.offer(String(number), find)) return builder.finish();
      }
    }
    return builder.finish();
  }

  #loggedIn(
    row: Row,
    entry: LogEntry,
    filter: LogFilter,
    { bodyBytesMax = LOG_BODY_BYTES_MAX }: PageRequest,
  ): Candidate<LoggedMessage> | null {
    const facts = row["facts"] as string | null;
    if (facts === null) return null;
    const message = decodeFacts(facts);
    if (!matchesLog(filter, entry, message)) return null;
    const tells = tellsOfAnswer(entry.state);
    const answerBytes = tells ? (row["attempt_bytes"] as number) : 0;
    return {
      bytes: facts.length + Math.min(row["body_bytes"] as number, bodyBytesMax) + answerBytes,
      read: () => ({
        entry,
        message,
        body: this.#read.bodyStart(entry, bodyBytesMax),
        attempt: tells ? this.#read.attempt(entry, entry.attempt ?? 0) : null,
      }),
    };
  }

  deadLetters(
    accountId: string,
    filter: DeadLetterFilter,
    page: SliceRequest,
  ): Slice<StoredDeadLetter> {
    const builder = new PageBuilder<StoredDeadLetter>(page);
    for (const key of this.#deadLetterKeys(accountId, filter, page)) {
      const find = () =>
        this.#read.findDeadLetter(key, (letter, message) =>
          matchesDeadLetter(filter, letter, message),
        );
      if (!builder.offer(deadLetterId(key), find)) break;
    }
    return builder.finish();
  }

  /**
   * By log_entries_message when messages are named, else by log_entries_account. Rows of other states
   * are returned without their facts, so that the rows a list reads are bounded.
   */
  #logRows(accountId: string, filter: LogFilter, page: PageRequest): Iterable<Row> {
    const [compare, direction] = page.order === "latestFirst" ? ["<", "DESC"] : [">=", "ASC"];
    const named = filter.messageIds;
    // `+number` keeps SQLite from reading the whole log in its order to find a few messages.
    const number = named === undefined ? "number" : "+number";
    const conditions = [named === undefined ? OF_ACCOUNT : "account_id = ?1"];
    const values: Values = [accountId];
    const add = (value: string | number): string => `?${values.push(value)}`;
    const addAll = (added: readonly string[]): string => `IN (${added.map(add).join(", ")})`;
    if (page.after !== null) conditions.push(`${number} ${compare} ${add(Number(page.after))}`);
    if (named !== undefined) conditions.push(`message_id ${addAll(named)}`);
    const among = addAll(filter.states ?? LOG_STATES);
    return this.#database
      .prepare(
        `SELECT ${ENTRY_COLUMNS}, f.facts, octet_length(f.body) AS body_bytes,
           ${ATTEMPT_BYTES} AS attempt_bytes
         FROM (SELECT * FROM log_entries WHERE ${conditions.join(" AND ")}) AS e
         LEFT JOIN facts f ON f.account_id = e.account_id AND f.message_id = e.message_id
           AND (e.state ${among} OR e.next_state ${among})
         ORDER BY ${number.replace("number", "e.number")} ${direction}`,
      )
      .iterate(...values);
  }

  *#deadLetterKeys(
    accountId: string,
    filter: DeadLetterFilter,
    page: PageRequest,
  ): Iterable<DeadLetterKey> {
    if (filter.deadLetterIds !== undefined) {
      yield* namedKeys(accountId, filter.deadLetterIds, page);
      return;
    }
    const [compare, direction] = page.order === "latestFirst" ? ["<", "DESC"] : [">", "ASC"];
    const after = page.after === null ? null : parseDeadLetterId(accountId, page.after);
    const rows = this.#database
      .prepare(
        `SELECT * FROM dead_letters WHERE account_id = ?
         ${after === null ? "" : `AND (died_at, number) ${compare} (?, ?)`}
         ORDER BY died_at ${direction}, number ${direction}`,
      )
      .iterate(accountId, ...(after === null ? [] : [after.diedAt, after.number]));
    for (const row of rows) yield toDeadLetter(row);
  }
}

/** The named ids in the order of the list; texts that are no ids are skipped. */
function namedKeys(
  accountId: string,
  ids: readonly string[],
  { after, order }: PageRequest,
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
