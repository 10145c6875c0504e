import { lineKind } from "../../../core/model/line/line.ts";
import {
  type LineKey,
  type LineReport,
  type LineSetting,
  type LineStatus,
  WAITING_COUNTED_MAX,
} from "../../../core/model/line/line-setting.ts";
import type { LineLoad, WaitingLines } from "../../../core/model/line/waiting.ts";
import type { MessageKey } from "../../../core/model/message/message.ts";
import type { Instant } from "../../../core/model/time.ts";
import { WAITING_FIRST_COUNT } from "../../reader/lines.ts";
import { ROWS_READ_MAX } from "../../reader/page.ts";
import type { NounReader } from "../../reads/driver-reader.ts";
import { type Row, toLineSetting } from "../../records/rows.ts";
import { toListAgain } from "../../records/waiting-lines.ts";
import type { Session } from "../driver/conversation.ts";
import { numberedRowsOf } from "../group/columns.ts";
import { LINE_KEY, withRow } from "../group/rows-by-key.ts";
import { LINE_LIMITS } from "../../records/resource-tables.ts";
import { arraysOf } from "../group/table-statements.ts";
import { WaitingReads } from "./waiting.ts";

export class LineReads implements NounReader<"lines"> {
  readonly #session: Session;
  readonly #waiting: WaitingReads;

  constructor(session: Session) {
    this.#session = session;
    this.#waiting = new WaitingReads(session);
  }

  async areSet(keys: readonly LineKey[]): Promise<boolean[]> {
    const set = new Set(
      (await this.#session.query(SQL.areSet, arraysOf(LINE_LIMITS.key, keys))).map(
        (row) => row["nth"],
      ),
    );
    return keys.map((_, index) => set.has(index + 1));
  }

  async report(key: LineKey, now: Instant): Promise<LineReport | null> {
    const [row] = await this.#session.query(SQL.setting, [key.accountId, key.line]);
    if (row === undefined) return null;
    const setting = toLineSetting(row);
    const [status] = await this.#statuses([setting], now, WAITING_COUNTED_MAX);
    return { setting, status: status as LineStatus };
  }

  async list(
    accountId: string,
    prefix: string,
    search: string,
    count: number,
    now: Instant,
  ): Promise<LineReport[]> {
    const values = [accountId, prefix, `${prefix}\u{10FFFF}`, ROWS_READ_MAX, search, count];
    const settings = (await this.#session.query(SQL.list, values)).map(toLineSetting);
    const statuses = await this.#statuses(settings, now, WAITING_FIRST_COUNT);
    const { indices, countedMax } = toListAgain(statuses);
    const large = indices.map((index) => settings[index]!);
    const again = await this.#statuses(large, now, countedMax);
    for (const [nth, index] of indices.entries()) statuses[index] = again[nth]!;
    return settings.map((setting, index) => ({ setting, status: statuses[index] as LineStatus }));
  }

  async names(accountId: string, after: string, count: number): Promise<string[]> {
    const rows = await this.#session.query(SQL.names, [accountId, after, count]);
    return rows.map((row) => row["line"] as string);
  }

  load(key: LineKey): Promise<LineLoad> {
    return this.#waiting.load(key);
  }

  waiting(accountId: string, now: Instant): Promise<WaitingLines> {
    return this.#waiting.find(accountId, now);
  }

  holders(
    accountId: string,
    lines: readonly string[],
    count: number,
  ): Promise<readonly string[][]> {
    return this.#waiting.holders(accountId, lines, count);
  }

  async countQueues(accountId: string): Promise<number> {
    const [row] = await this.#session.query(SQL.countQueues, [accountId]);
    return row?.["count"] as number;
  }

  async lastPosition({ accountId, line }: LineKey): Promise<number> {
    const [row] = await this.#session.query(SQL.lastPosition, [accountId, line]);
    return row?.["position"] as number;
  }

  async queued({ accountId, line }: LineKey, upTo: number, count: number): Promise<MessageKey[]> {
    const rows = await this.#session.query(SQL.queued, [accountId, line, upTo, count]);
    return rows.map((row) => ({ accountId, messageId: row["message_id"] as string }));
  }

  async #statuses(
    settings: readonly LineSetting[],
    now: Instant,
    countedMax: number,
  ): Promise<LineStatus[]> {
    if (settings.length === 0) return [];
    const dueBy = settings.map(({ line }) =>
      lineKind(line) === "queue" ? Number.MAX_SAFE_INTEGER : now,
    );
    const rows = await this.#session.query(SQL.statuses, [
      ...arraysOf(LINE_LIMITS.key, settings),
      dueBy,
      countedMax,
    ]);
    return rows.map(toLineStatus);
  }
}

function toLineStatus(row: Row): LineStatus {
  return {
    waiting: row["waiting"] as number,
    held: row["held"] as number,
    windowStartedAt: row["window_started_at"] as number,
    windowStarts: row["window_starts"] as number,
  };
}

const SQL = {
  setting: "SELECT * FROM line_limits WHERE account_id = $1 AND line = $2",
  areSet: `SELECT nth FROM ${numberedRowsOf("account_id $1 text", "line $2 text")} k
    CROSS JOIN LATERAL (
      SELECT FROM line_limits WHERE account_id = k.account_id AND line = k.line
    ) m`,
  list: `SELECT * FROM (
      SELECT * FROM line_limits WHERE account_id = $1 AND line >= $2 AND line < $3
      ORDER BY line LIMIT $4
    ) l WHERE strpos(substr(line, 3), $5) > 0 ORDER BY line LIMIT $6`,
  countQueues: `SELECT count(*) AS count FROM line_limits
    WHERE account_id = $1 AND line >= 'q:' AND line < 'q;'`,
  // messages_waiting, messages_holding, messages_keyed
  statuses: `SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM messages WHERE account_id = k.account_id AND line = k.line
          AND phase = 0 AND NOT suspect AND ready_at <= k.due_by
        ORDER BY ready_at, message_id LIMIT $4) w) AS waiting,
      CASE left(k.line, 2)
        WHEN 'q:' THEN (SELECT count(*) FROM (SELECT FROM messages
          WHERE account_id = k.account_id AND queue = k.line
            AND root_id = message_id AND line_after IS NULL
          ORDER BY position) h)
        ELSE (SELECT count(*) FROM (SELECT FROM messages
          WHERE account_id = k.account_id AND line = k.line
            AND phase = 1 AND line >= 'k:' AND line < 'k;'
          ORDER BY leased_at) h)
        END AS held,
      coalesce(l.window_started_at, 0) AS window_started_at,
      coalesce(l.window_starts, 0) AS window_starts
    FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY
      AS k (account_id, line, due_by, nth)
    ${withRow("lines", LINE_KEY, "l")}
    ORDER BY k.nth`,
  // messages_queued, messages_holding
  lastPosition: `SELECT coalesce(greatest(
      (SELECT max(position) FROM messages
       WHERE account_id = $1 AND line = $2 AND phase = 0 AND line_after IS NOT NULL),
      (SELECT max(position) FROM messages WHERE account_id = $1 AND queue = $2)), 0) AS position`,
  queued: `(SELECT message_id FROM messages
      WHERE account_id = $1 AND line = $2 AND phase = 0 AND line_after IS NOT NULL
        AND position <= $3
      ORDER BY position LIMIT $4)
    UNION
    (SELECT message_id FROM messages
      WHERE account_id = $1 AND queue = $2 AND position <= $3 AND NOT cancel_requested
      ORDER BY position LIMIT $4)
    LIMIT $4`,
  names: `SELECT line FROM lines WHERE account_id = $1 AND line > $2 ORDER BY line LIMIT $3`,
} as const;
