import type { LineKey } from "../../core/model/line/line-setting.ts";
import type { LineLoad, WaitingLine, WaitingLines } from "../../core/model/line/waiting.ts";
import { WAITING_FIRST_COUNT, WAITING_LINE_ROWS_MAX, WAITING_LINES_MAX } from "../reader/lines.ts";
import {
  CountShares,
  LINE_RANGES,
  toAccountLoad,
  toLineLoad,
  toWaitingLine,
  waitingNames,
} from "../records/waiting-lines.ts";
import type { Conditions } from "./conditions.ts";
import { firstRows, type Query, type Reading } from "./reading.ts";

/** What waits in the lines of an account, and what holds it back. */
export interface WaitingSql {
  /** The limits and the load of a line. */
  readonly load: string;
  /** The first `$3` messages that hold the slots of a line. */
  readonly holders: string;
}

/** messages_waiting */
function inOrder({ isWaiting }: Conditions, columns: string, isReady: string): string {
  return `(SELECT ${columns} FROM messages
    WHERE account_id = $1 AND line = $2 AND ${isWaiting} AND ${isReady}
    ORDER BY ready_at, message_id LIMIT $4) found`;
}

export function waitingSql(conditions: Conditions) {
  return {
    account: `SELECT halted, parallelism_max, CASE WHEN parallelism_max IS NULL THEN 0 ELSE
        (SELECT count(*) FROM messages
         WHERE messages.account_id = accounts.account_id AND ${conditions.isCapped}) END AS held
      FROM accounts WHERE account_id = $1`,
    waitingNames: `SELECT line, emptied, number FROM (
        SELECT line, emptied, row_number() OVER (ORDER BY line) AS number FROM lines
        WHERE account_id = $1 AND line >= $2 AND line < $3 ORDER BY line LIMIT $4
      ) found WHERE NOT emptied OR number = $4 ORDER BY line LIMIT $5`,
    due: `SELECT counted.*, (SELECT host FROM messages
        WHERE account_id = $1 AND message_id = due_oldest) AS due_host
      FROM (SELECT count(*) AS due, min(message_id) AS due_oldest, min(ready_at) AS due_ready_at
        FROM ${inOrder(conditions, "message_id, ready_at", "ready_at <= $3")}) counted`,
    later: `SELECT count(*) FILTER (WHERE attempts = 0) AS delayed,
        min(message_id) FILTER (WHERE attempts = 0) AS delayed_oldest,
        min(ready_at) FILTER (WHERE attempts = 0) AS delayed_ready_at,
        count(*) FILTER (WHERE attempts > 0) AS retried,
        min(message_id) FILTER (WHERE attempts > 0) AS retried_oldest,
        min(ready_at) FILTER (WHERE attempts > 0) AS retried_ready_at
      FROM ${inOrder(conditions, "message_id, ready_at, attempts", "ready_at > $3")}`,
  } as const;
}

type AllSql = WaitingSql & ReturnType<typeof waitingSql>;

export function* readLoad(sql: AllSql, key: LineKey): Reading<LineLoad> {
  const { accountId, line } = key;
  const [account, load] = yield* firstRows(
    { text: sql.account, values: [accountId] },
    { text: sql.load, values: [], keys: [[accountId, line]] },
  );
  return toLineLoad(load!, key, toAccountLoad(account));
}

export function* readWaiting(sql: AllSql, accountId: string, now: number): Reading<WaitingLines> {
  const [accounts, ranges] = yield [
    { text: sql.account, values: [accountId] },
    {
      text: sql.waitingNames,
      values: [WAITING_LINE_ROWS_MAX, WAITING_LINES_MAX + 1],
      keys: LINE_RANGES.map((range) => [accountId, ...range]),
    },
  ];
  const found = ranges!.map(waitingNames);
  const names = found.flatMap((range) => range.names);
  const account = toAccountLoad(accounts![0]![0]);
  const keys = names.map((name) => [accountId, name]);
  const [loads, ...counts] = yield [
    { text: sql.load, values: [], keys },
    ...countQueries(sql, accountId, names, now, WAITING_FIRST_COUNT),
  ];
  const lines = new Map(
    names.map((line, index) => {
      const load = toLineLoad(loads![index]![0]!, { accountId, line }, account);
      const row = { ...counts[0]![index]![0], ...counts[1]![index]![0] };
      return [line, toWaitingLine(line, load, row, WAITING_FIRST_COUNT)];
    }),
  );
  yield* countAgain(sql, accountId, now, lines);
  return { lines: [...lines.values()], isPartial: found.some((range) => range.isPartial) };
}

function* countAgain(
  sql: AllSql,
  accountId: string,
  now: number,
  lines: Map<string, WaitingLine>,
): Reading<void> {
  const shares = new CountShares(lines);
  for (let again = shares.next(); again !== null; again = shares.next()) {
    const { names, countedMax } = again;
    const [due, later] = yield countQueries(sql, accountId, names, now, countedMax);
    for (const [index, name] of names.entries()) {
      const row = { ...due![index]![0], ...later![index]![0] };
      lines.set(name, toWaitingLine(name, lines.get(name)!, row, countedMax));
    }
  }
}

function countQueries(
  { due, later }: AllSql,
  accountId: string,
  names: readonly string[],
  now: number,
  countedMax: number,
): Query[] {
  const keys = names.map((name) => [accountId, name]);
  return [due, later].map((text) => ({ text, values: [now, countedMax], keys }));
}
