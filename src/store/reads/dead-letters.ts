import {
  type DeadLetter,
  type DeadLetterKey,
  deadLetterId,
  parseDeadLetterId,
} from "../../core/model/message/dead-letter.ts";
import type { DeadLetterFilter } from "../../core/model/message/log-filter.ts";
import { decodeFacts } from "../../core/model/message/settings.ts";
import { matchesDeadLetter } from "../../core/views/matches-message.ts";
import { type DeadLetterGroup, type DeadLetterHost, GROUPS_MAX } from "../reader/dead-letters.ts";
import { WHOLE_BODY_BYTES } from "../reader/messages.ts";
import type { PageRequest } from "../reader/page.ts";
import { toAttemptRecord } from "../records/log-step.ts";
import { bytesIn, type Row, toDeadLetter } from "../records/rows.ts";
import { firstRows, type Noun, rowsOf, type Value } from "./reading.ts";
import { wholeBodies } from "./body-pieces.ts";
import type { SliceRequest } from "./slices.ts";
import {
  collect,
  type Offer,
  type Sized,
  STORED_BYTES_SQL,
  type StoredBytesSql,
  withBytes,
} from "./stored-bytes.ts";

export interface DeadLetterSql extends StoredBytesSql {
  readonly deadLetter: string;
  /**
   * Dead letters after `$2` and `$3`, at most `$4`, those at `$5` and `$6` when they are named, with
   * their facts and the sizes of their bodies.
   */
  readonly list: (order: PageRequest["order"], isOfRun: boolean, isNamed: boolean) => string;
  /** The URL in the facts `f.facts`. */
  readonly url: string;
}

const NEWEST = `(
      SELECT died_at, attempt, status, error, cause, run_id IS NOT NULL AS is_of_run
      FROM dead_letters
      WHERE account_id = $1 ORDER BY died_at DESC, number DESC LIMIT $2
    ) newest`;
const HOUR_MS = 3_600_000;

const SHARED = {
  ...STORED_BYTES_SQL,
  // The error is that of the group only where all of it has the same.
  groups: `SELECT status, cause, is_of_run, count(*) AS count, min(died_at) AS first_at,
      max(died_at) AS last_at, sum(attempt) AS attempts,
      CASE WHEN count(error) = count(*) AND min(error) = max(error) THEN min(error) END AS error
    FROM ${NEWEST}
    GROUP BY status, cause, is_of_run ORDER BY count(*) DESC, max(died_at) DESC, cause LIMIT ${GROUPS_MAX}`,
  // As many hours as a day has for each group.
  groupHours: `SELECT status, cause, is_of_run, died_at / ${HOUR_MS} AS hour, count(*) AS count
    FROM ${NEWEST}
    GROUP BY status, cause, is_of_run, died_at / ${HOUR_MS} ORDER BY hour DESC LIMIT ${24 * GROUPS_MAX}`,
} as const;

function urlsSql(url: string): string {
  return `SELECT url, is_of_run, hour, count(*) AS count, sum(attempt) AS attempts,
      min(died_at) AS first_at, max(died_at) AS last_at
    FROM (
      SELECT ${url} AS url, d.run_id IS NOT NULL AS is_of_run, d.died_at, d.attempt,
        d.died_at / ${HOUR_MS} AS hour
      FROM (
        SELECT * FROM dead_letters WHERE account_id = $1
        ORDER BY died_at DESC, number DESC LIMIT $2
      ) d JOIN facts f ON f.account_id = d.account_id AND f.message_id = d.message_id
    ) newest
    GROUP BY url, is_of_run, hour`;
}

export function deadLetterReads({ url, ...own }: DeadLetterSql): Noun<"deadLetters"> {
  const sql = { ...SHARED, ...own, urls: urlsSql(url) };
  const rowsAfter = (accountId: string, filter: DeadLetterFilter, page: SliceRequest) => {
    const { deadLetterIds, isOfRun = false } = filter;
    const text = sql.list(page.order, isOfRun, deadLetterIds !== undefined);
    return rowsOf(text, pageValues(accountId, deadLetterIds, page));
  };
  return {
    sql,
    reads: {
      *get({ accountId, diedAt, number }, bodyBytesMax = WHOLE_BODY_BYTES) {
        const [row] = yield* rowsOf(sql.deadLetter, [accountId, diedAt, number]);
        if (row === undefined) return null;
        const deadLetter = toDeadLetter(row);
        const { messageId } = deadLetter;
        const [facts, attempt] = yield* firstRows(
          { text: sql.facts, values: [accountId, messageId, bodyBytesMax] },
          { text: sql.attempt, values: [accountId, messageId, deadLetter.attempt] },
        );
        if (facts === undefined) return null;
        const message = decodeFacts(facts["facts"] as string);
        const found = { message, body: bytesIn(facts["body"]) };
        const [body] = yield* wholeBodies([found], bodyBytesMax);
        return {
          deadLetter,
          message,
          body: body!,
          attempt: attempt ? toAttemptRecord(attempt) : null,
        };
      },
      *list(accountId, filter, page) {
        const rows = yield* rowsAfter(accountId, filter, page);
        const found = collect(page, rows, (row) => [letterIn(row, filter)]);
        const items = yield* withBytes(sql, found.items);
        return {
          ...found,
          items: items.map(({ item, ...bytes }) => ({ deadLetter: item, ...bytes })),
        };
      },
      *keys(accountId, filter, page) {
        const rows = yield* rowsAfter(accountId, filter, page);
        return collect(page, rows, (row) => [keyIn(row, filter)]);
      },
      *groups(accountId, newestMax) {
        const rows = yield* rowsOf(sql.groups, [accountId, newestMax]);
        const hours = yield* rowsOf(sql.groupHours, [accountId, newestMax]);
        return rows.map((row) =>
          toDeadLetterGroup(
            row,
            hours.filter((hour) => isOfGroup(hour, row)),
          ),
        );
      },
      *hosts(accountId, newestMax) {
        return hostsIn(yield* rowsOf(sql.urls, [accountId, newestMax]));
      },
    },
  };
}

/** Of URLs by the hour; the busiest hosts, each with its newest hours. */
function hostsIn(rows: readonly Row[]): DeadLetterHost[] {
  const byHost = Map.groupBy(rows, (row) => {
    const url = row["url"] as string;
    return `${Boolean(row["is_of_run"])} ${URL.parse(url)?.host ?? url}`;
  });
  const hosts = Array.from(byHost, ([key, found]) => {
    const at = key.indexOf(" ");
    return { host: key.slice(at + 1), isOfRun: key.slice(0, at) === "true", ...countOf(found) };
  });
  const busiest = hosts.toSorted(
    (one, other) => other.count - one.count || other.lastAt - one.lastAt,
  );
  return busiest.slice(0, GROUPS_MAX);
}

function sum(rows: readonly Row[], name: string): number {
  return rows.reduce((all, row) => all + Number(row[name]), 0);
}

function countOf(rows: readonly Row[]) {
  const byHour = Map.groupBy(rows, (row) => Number(row["hour"]) * HOUR_MS);
  const hours = Array.from(byHour, ([at, found]) => ({ at, count: sum(found, "count") }));
  return {
    count: sum(rows, "count"),
    attempts: sum(rows, "attempts"),
    firstAt: Math.min(...rows.map((row) => Number(row["first_at"]))),
    lastAt: Math.max(...rows.map((row) => Number(row["last_at"]))),
    hours: hours.toSorted((one, other) => other.at - one.at).slice(0, 24),
  };
}

/** Where a page of dead letters starts, how many rows it reads, and which are named. */
export function pageValues(
  accountId: string,
  ids: readonly string[] | undefined,
  { after, order, rowsMax }: SliceRequest,
): Value[] {
  const first = order === "latestFirst" ? END : { diedAt: 0, number: 0 };
  const { diedAt, number } = (after === null ? null : parseDeadLetterId(accountId, after)) ?? first;
  const values = [accountId, diedAt, number, rowsMax];
  if (ids === undefined) return values;
  const named = ids.map((id) => parseDeadLetterId(accountId, id)).filter((key) => key !== null);
  return [...values, named.map((key) => key.diedAt), named.map((key) => key.number)];
}

const END = { diedAt: Number.MAX_SAFE_INTEGER, number: Number.MAX_SAFE_INTEGER };

function letterIn(row: Row, filter: DeadLetterFilter): Offer<Sized<DeadLetter>> {
  const item = toDeadLetter(row);
  const position = deadLetterId(item);
  const facts = row["facts"] as string | null;
  if (facts === null) return { position, found: null };
  const message = decodeFacts(facts);
  if (!matchesDeadLetter(filter, item, message)) return { position, found: null };
  const bodyBytes = (message.ahead?.bytes ?? 0) + (row["body_bytes"] as number);
  const bytes = facts.length + bodyBytes + (row["attempt_bytes"] as number);
  return { position, found: { bytes, read: () => ({ item, message, attempt: item.attempt }) } };
}

function keyIn(row: Row, filter: DeadLetterFilter): Offer<DeadLetterKey> {
  const { position, found } = letterIn(row, filter);
  return { position, found: found && { bytes: 0, read: () => found.read().item } };
}

function isOfGroup(hour: Row, group: Row): boolean {
  return (["status", "cause", "is_of_run"] as const).every((name) => hour[name] === group[name]);
}

function toDeadLetterGroup(row: Row, hours: readonly Row[]): DeadLetterGroup {
  return {
    status: row["status"] as number,
    cause: row["cause"] as string,
    error: row["error"] as string | null,
    isOfRun: Boolean(row["is_of_run"]),
    count: Number(row["count"]),
    attempts: Number(row["attempts"]),
    firstAt: Number(row["first_at"]),
    lastAt: Number(row["last_at"]),
    hours: hours.map(({ hour, count }) => ({ at: Number(hour) * HOUR_MS, count: Number(count) })),
  };
}
