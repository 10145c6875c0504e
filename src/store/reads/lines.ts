import {
  lineKind,
  type LineKey,
  type LineReport,
  type LineSetting,
  type LineStatus,
  WAITING_COUNTED_MAX,
} from "../../core/model/line/line.ts";
import { COUNT_SQL } from "../group/row-counts.ts";
import { WAITING_FIRST_COUNT } from "../reader/lines.ts";
import { ROWS_READ_MAX } from "../reader/page.ts";
import { type Row, toLineSetting } from "../records/rows.ts";
import {
  all,
  type Conditions,
  type Key,
  lookUp,
  type Noun,
  only,
  type Reading,
  rowsOf,
  keysOf,
} from "./reading.ts";
import { readLoad, readWaiting, toListAgain, waitingSql, type WaitingSql } from "./waiting.ts";

export interface LineSql extends WaitingSql {
  /** Settings of lines from `$2` to `$3` out of `$4` rows, whose names contain `$5`, at most `$6`. */
  readonly list: string;
}

const OF_LINE = "account_id = $1 AND line = $2";

function allSql(own: LineSql, conditions: Conditions) {
  return {
    ...own,
    ...waitingSql(conditions),
    setting: `SELECT * FROM line_limits WHERE ${OF_LINE}`,
    isSet: `SELECT 1 FROM line_limits WHERE ${OF_LINE}`,
    names: "SELECT line FROM lines WHERE account_id = $1 AND line > $2 ORDER BY line LIMIT $3",
    countQueues: COUNT_SQL.queues,
    // messages_waiting, messages_holding, messages_keyed
    status: `SELECT
        (SELECT count(*) FROM (SELECT 1 FROM messages
          WHERE ${OF_LINE} AND ${conditions.isWaiting} AND ready_at <= $3
          ORDER BY ready_at, message_id LIMIT $4) found) AS waiting,
        CASE substr($2, 1, 2)
          WHEN 'q:' THEN (SELECT count(*) FROM (SELECT 1 FROM messages
            WHERE account_id = $1 AND queue = $2 AND root_id = message_id AND line_after IS NULL
            ORDER BY position) found)
          ELSE (SELECT count(*) FROM (SELECT 1 FROM messages
            WHERE ${OF_LINE} AND phase = 1 AND line >= 'k:' AND line < 'k;'
            ORDER BY leased_at) found)
          END AS held,
        (SELECT window_started_at FROM lines WHERE ${OF_LINE}) AS window_started_at,
        (SELECT window_starts FROM lines WHERE ${OF_LINE}) AS window_starts`,
    // messages_queued, messages_holding
    lastPosition: `SELECT coalesce(max(position), 0) AS position FROM (
        SELECT max(position) AS position FROM messages
        WHERE ${OF_LINE} AND phase = 0 AND line_after IS NOT NULL
        UNION ALL
        SELECT max(position) FROM messages WHERE account_id = $1 AND queue = $2) found`,
    queued: `SELECT message_id FROM (SELECT message_id FROM messages
        WHERE ${OF_LINE} AND phase = 0 AND line_after IS NOT NULL AND position <= $3
        ORDER BY position LIMIT $4) found
      UNION
      SELECT message_id FROM (SELECT message_id FROM messages
        WHERE account_id = $1 AND queue = $2 AND position <= $3 AND NOT cancel_requested
        ORDER BY position LIMIT $4) found
      LIMIT $4`,
  } as const;
}

export function lineReads(own: LineSql, conditions: Conditions): Noun<"lines"> {
  const sql = allSql(own, conditions);
  return {
    sql,
    reads: {
      *areSet(keys) {
        return (yield* lookUp(sql.isSet, keys.map(keyOf))).map((rows) => rows.length > 0);
      },
      *report(key, now) {
        const [row] = yield* rowsOf(sql.setting, keyOf(key));
        if (row === undefined) return null;
        const [report] = yield* withStatus(sql, [toLineSetting(row)], now, WAITING_COUNTED_MAX);
        return report!;
      },
      *list(accountId, prefix, search, count, now) {
        const values = [accountId, prefix, `${prefix}\u{10FFFF}`, ROWS_READ_MAX, search, count];
        const settings = (yield* rowsOf(sql.list, values)).map(toLineSetting);
        const reports = yield* withStatus(sql, settings, now, WAITING_FIRST_COUNT);
        const { indices, countedMax } = toListAgain(reports.map(({ status }) => status));
        const large = indices.map((index) => settings[index]!);
        const again = yield* withStatus(sql, large, now, countedMax);
        for (const [nth, index] of indices.entries()) reports[index] = again[nth]!;
        return reports;
      },
      names: (accountId, after, count) =>
        all(sql.names, [accountId, after, count], (row) => row["line"] as string),
      load: (key) => readLoad(sql, key),
      waiting: (accountId, now) => readWaiting(sql, accountId, now),
      *holders(accountId, lines, count) {
        const found = yield* lookUp(sql.holders, keysOf(accountId, lines), [count]);
        return found.map((rows) => rows.map((row) => row["message_id"] as string));
      },
      countQueues: (accountId) =>
        only(sql.countQueues, [accountId], (row) => row["count"] as number),
      lastPosition: (key) => only(sql.lastPosition, keyOf(key), (row) => row["position"] as number),
      queued: (key, upTo, count) =>
        all(sql.queued, [...keyOf(key), upTo, count], (row) => ({
          accountId: key.accountId,
          messageId: row["message_id"] as string,
        })),
    },
  };
}

function keyOf({ accountId, line }: LineKey): Key {
  return [accountId, line];
}

function* withStatus(
  sql: { readonly status: string },
  settings: readonly LineSetting[],
  now: number,
  countedMax: number,
): Reading<LineReport[]> {
  const keys = settings.map((setting) => {
    const dueBy = lineKind(setting.line) === "queue" ? Number.MAX_SAFE_INTEGER : now;
    return [...keyOf(setting), dueBy];
  });
  const found = yield* lookUp(sql.status, keys, [countedMax]);
  return settings.map((setting, index) => ({ setting, status: toLineStatus(found[index]![0]!) }));
}

function toLineStatus(row: Row): LineStatus {
  return {
    waiting: row["waiting"] as number,
    held: row["held"] as number,
    windowStartedAt: (row["window_started_at"] ?? 0) as number,
    windowStarts: (row["window_starts"] ?? 0) as number,
  };
}
