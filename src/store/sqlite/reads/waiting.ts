import type { StatementSync } from "node:sqlite";

import { lineKind } from "../../../core/model/line/line.ts";
import type { LineKey } from "../../../core/model/line/line-setting.ts";
import type {
  AccountLoad,
  LineLoad,
  WaitingLine,
  WaitingLines,
} from "../../../core/model/line/waiting.ts";
import {
  WAITING_FIRST_COUNT,
  WAITING_LINE_ROWS_MAX,
  WAITING_LINES_MAX,
} from "../../reader/lines.ts";
import type { Row } from "../../records/rows.ts";
import {
  CountShares,
  LINE_RANGES,
  toAccountLoad,
  toLineLoad,
  toWaitingLine,
  waitingNames,
} from "../../records/waiting-lines.ts";
import { HELD_SQL, HOLDERS_SQL } from "../claim/claim-sql.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

/** What waits in the lines of an account, and what holds it back. */
export class WaitingReads {
  readonly #sql: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, SQL);
  }

  load(key: LineKey): LineLoad {
    return this.#load(key, this.#account(key.accountId));
  }

  find(accountId: string, now: number): WaitingLines {
    const account = this.#account(accountId);
    const ranges = LINE_RANGES.map(([from = "", to = ""]) =>
      waitingNames(
        this.#sql.names.all(accountId, from, to, WAITING_LINE_ROWS_MAX, WAITING_LINES_MAX + 1),
      ),
    );
    const loads = new Map<string, LineLoad>();
    const read = (line: string, countedMax: number): WaitingLine => {
      const load = loads.get(line) ?? this.#load({ accountId, line }, account);
      loads.set(line, load);
      return toWaitingLine(line, load, this.#count(accountId, line, now, countedMax), countedMax);
    };
    const names = ranges.flatMap((range) => range.names);
    const lines = new Map(names.map((name) => [name, read(name, WAITING_FIRST_COUNT)]));
    const shares = new CountShares(lines);
    for (let again = shares.next(); again !== null; again = shares.next()) {
      for (const name of again.names) lines.set(name, read(name, again.countedMax));
    }
    return { lines: [...lines.values()], isPartial: ranges.some(({ isPartial }) => isPartial) };
  }

  holders(accountId: string, lines: readonly string[], count: number): string[][] {
    return lines.map((line) => {
      const statement = lineKind(line) === "queue" ? this.#sql.queueHolders : this.#sql.keyHolders;
      return statement.all(accountId, line, count).map((row) => row["message_id"] as string);
    });
  }

  #load(key: LineKey, account: AccountLoad): LineLoad {
    const statement = STATES[lineKind(key.line)];
    return toLineLoad(this.#sql[statement].get(key.accountId, key.line)!, key, account);
  }

  #account(accountId: string): AccountLoad {
    return toAccountLoad(this.#sql.account.get(accountId));
  }

  #count(accountId: string, line: string, now: number, countedMax: number): Row {
    return {
      ...this.#sql.due.get(accountId, line, now, countedMax),
      ...this.#sql.later.get(accountId, line, now, countedMax),
    };
  }
}

const STATES = {
  queue: "queueLoad",
  key: "keyLoad",
  host: "hostLoad",
  retry: "hostLoad",
} as const;

const loadQuery = (held: string): string => `SELECT m.parallelism, m.rate, m.period_ms, m.paused,
    m.pinned_parallelism, m.pinned_rate, m.created_at, m.updated_at,
    l.next_at, l.window_started_at, l.window_starts, l.emptied, (${held}) AS held,
    NULL AS next_ready_at
  FROM (SELECT 1)
  LEFT JOIN line_limits AS m ON m.account_id = ?1 AND m.line = ?2
  LEFT JOIN lines AS l ON l.account_id = ?1 AND l.line = ?2`;

/** messages_waiting */
const inOrder = (isReady: string): string => `SELECT message_id, ready_at, attempts, host
  FROM messages WHERE account_id = ?1 AND line = ?2 AND phase = 0 AND suspect = 0 AND ${isReady}
  ORDER BY ready_at, message_id LIMIT ?4`;

const SQL = {
  account: `SELECT halted, parallelism_max, (SELECT count(*) FROM messages
      WHERE messages.account_id = accounts.account_id AND phase = 1 AND capped = 1) AS held
    FROM accounts WHERE account_id = ?`,
  names: `SELECT line, emptied, nth FROM (
      SELECT line, emptied, row_number() OVER (ORDER BY line) AS nth FROM lines
      WHERE account_id = ?1 AND line >= ?2 AND line < ?3 ORDER BY line LIMIT ?4
    ) WHERE emptied = 0 OR nth = ?4 LIMIT ?5`,
  queueLoad: loadQuery(HELD_SQL.queue),
  keyLoad: loadQuery(HELD_SQL.key),
  hostLoad: loadQuery("0"),
  queueHolders: HOLDERS_SQL.queue,
  keyHolders: HOLDERS_SQL.key,
  // Of the columns beside the oldest id SQLite takes the row that has it.
  due: `SELECT count(*) AS due, min(message_id) AS due_oldest, host AS due_host,
      (SELECT ready_at FROM messages WHERE account_id = ?1 AND line = ?2 AND phase = 0
        AND suspect = 0 ORDER BY ready_at LIMIT 1) AS due_ready_at
    FROM (${inOrder("ready_at <= ?3")})`,
  later: `SELECT count(*) FILTER (WHERE attempts = 0) AS delayed,
      min(message_id) FILTER (WHERE attempts = 0) AS delayed_oldest,
      min(ready_at) FILTER (WHERE attempts = 0) AS delayed_ready_at,
      count(*) FILTER (WHERE attempts > 0) AS retried,
      min(message_id) FILTER (WHERE attempts > 0) AS retried_oldest,
      min(ready_at) FILTER (WHERE attempts > 0) AS retried_ready_at
    FROM (${inOrder("ready_at > ?3")})`,
} as const;
