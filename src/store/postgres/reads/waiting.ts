import type { LineKey } from "../../../core/model/line/line-setting.ts";
import type { LineLoad, WaitingLine, WaitingLines } from "../../../core/model/line/waiting.ts";
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
import { HELD, HOLDERS } from "../claim/claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { LINE_KEY, withRow } from "../group/rows-by-key.ts";

/** What waits in the lines of an account, and what holds it back. */
export class WaitingReads {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async load(key: LineKey): Promise<LineLoad> {
    const { accountId, line } = key;
    const [[account], [row]] = await Promise.all([
      this.#session.query(SQL.account, [accountId]),
      this.#session.query(SQL.loads, [accountId, [line]]),
    ]);
    return toLineLoad(row!, key, toAccountLoad(account));
  }

  async find(accountId: string, now: number): Promise<WaitingLines> {
    const [[accountRow], ...ranges] = await Promise.all([
      this.#session.query(SQL.account, [accountId]),
      ...LINE_RANGES.map(([from, to]) => {
        const bounds = [WAITING_LINE_ROWS_MAX, WAITING_LINES_MAX + 1];
        return this.#session.query(SQL.names, [accountId, from, to, ...bounds]);
      }),
    ]);
    const found = ranges.map(waitingNames);
    const names = found.flatMap((range) => range.names);
    const isPartial = found.some((range) => range.isPartial);
    if (names.length === 0) return { lines: [], isPartial };
    const [loads, counts] = await Promise.all([
      this.#session.query(SQL.loads, [accountId, names]),
      this.#session.query(SQL.counts, [accountId, names, now, WAITING_FIRST_COUNT]),
    ]);
    const account = toAccountLoad(accountRow);
    const lines = new Map(
      names.map((line, index) => {
        const load = toLineLoad(loads[index]!, { accountId, line }, account);
        return [line, toWaitingLine(line, load, counts[index]!, WAITING_FIRST_COUNT)];
      }),
    );
    await this.#countAgain(accountId, now, lines);
    return { lines: [...lines.values()], isPartial };
  }

  async holders(
    accountId: string,
    lines: readonly string[],
    count: number,
  ): Promise<readonly string[][]> {
    const rows = await this.#session.query(SQL.holders, [accountId, lines, count]);
    return rows.map((row) => row["holders"] as string[]);
  }

  async #countAgain(
    accountId: string,
    now: number,
    lines: Map<string, WaitingLine>,
  ): Promise<void> {
    const shares = new CountShares(lines);
    for (let again = shares.next(); again !== null; again = shares.next()) {
      const { names, countedMax } = again;
      const rows: Row[] = await this.#session.query(SQL.counts, [
        accountId,
        names,
        now,
        countedMax,
      ]);
      for (const [index, name] of names.entries()) {
        lines.set(name, toWaitingLine(name, lines.get(name)!, rows[index]!, countedMax));
      }
    }
  }
}

const NAMED = `(SELECT $1::text AS account_id, line, nth
  FROM unnest($2::text[]) WITH ORDINALITY AS named (line, nth)) k`;

/** messages_waiting */
const inOrder = (isReady: string): string => `SELECT message_id, ready_at, attempts FROM messages
  WHERE account_id = k.account_id AND line = k.line AND phase = 0 AND NOT suspect AND ${isReady}
  ORDER BY ready_at, message_id LIMIT $4`;

const SQL = {
  account: `SELECT halted, parallelism_max, CASE WHEN parallelism_max IS NULL THEN 0 ELSE
      (SELECT count(*) FROM messages
       WHERE messages.account_id = accounts.account_id AND phase = 1 AND capped) END AS held
    FROM accounts WHERE account_id = $1`,
  names: `SELECT line, emptied, nth FROM (
      SELECT line, emptied, row_number() OVER (ORDER BY line) AS nth FROM lines
      WHERE account_id = $1 AND line >= $2 AND line < $3 ORDER BY line LIMIT $4
    ) l WHERE NOT emptied OR nth = $4 ORDER BY line LIMIT $5`,
  loads: `SELECT m.parallelism, m.rate, m.period_ms, m.paused, m.pinned_parallelism, m.pinned_rate,
      m.created_at, m.updated_at, l.next_at, l.window_started_at, l.window_starts, l.emptied,
      ${HELD} AS held, NULL::bigint AS next_ready_at
    FROM ${NAMED}
    ${withRow("line_limits", LINE_KEY, "m")}
    ${withRow("lines", LINE_KEY, "l")}
    ORDER BY k.nth`,
  holders: `SELECT ${HOLDERS} AS holders FROM ${NAMED} ORDER BY k.nth`,
  counts: `SELECT due.*, later.*,
      (SELECT host FROM messages
       WHERE account_id = k.account_id AND message_id = due.due_oldest) AS due_host
    FROM ${NAMED}
    CROSS JOIN LATERAL (
      SELECT count(*) AS due, min(message_id) AS due_oldest, min(ready_at) AS due_ready_at
      FROM (${inOrder("ready_at <= $3")}) w
    ) due
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE attempts = 0) AS delayed,
        min(message_id) FILTER (WHERE attempts = 0) AS delayed_oldest,
        min(ready_at) FILTER (WHERE attempts = 0) AS delayed_ready_at,
        count(*) FILTER (WHERE attempts > 0) AS retried,
        min(message_id) FILTER (WHERE attempts > 0) AS retried_oldest,
        min(ready_at) FILTER (WHERE attempts > 0) AS retried_ready_at
      FROM (${inOrder("ready_at > $3")}) w
    ) later
    ORDER BY k.nth`,
} as const;
