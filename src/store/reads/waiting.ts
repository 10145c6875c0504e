import type { LineKey, LineStatus } from "../../core/model/line/line.ts";
import type {
  AccountLoad,
  LineLoad,
  WaitingGroup,
  WaitingLine,
  WaitingLines,
} from "../../core/model/line/waiting.ts";
import {
  WAITING_FIRST_COUNT,
  WAITING_LINE_ROWS_MAX,
  WAITING_LINES_MAX,
  WAITING_ROWS_MAX,
} from "../reader/lines.ts";
import { type Row, toLineSnapshot } from "../records/rows.ts";
import { type Conditions, firstRows, type Query, type Reading } from "./reading.ts";

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

/** The kinds of lines as ranges of their names. */
const LINE_RANGES = ["h", "k", "q", "r"].map((letter) => [`${letter}:`, `${letter};`]);

function toAccountLoad(row: Row | undefined): AccountLoad {
  return {
    isHalted: Boolean(row?.["halted"]),
    parallelismMax: (row?.["parallelism_max"] ?? null) as number | null,
    held: (row?.["held"] ?? 0) as number,
  };
}

function toLineLoad(row: Row, key: LineKey, account: AccountLoad): LineLoad {
  const { setting, running, held } = toLineSnapshot(row, key);
  return { setting, running, held, account };
}

/** The names of one kind's lines, of which `numbered` are the rows with their numbers. */
function waitingNames(numbered: readonly Row[]): { names: string[]; isPartial: boolean } {
  const names = numbered.filter((row) => !row["emptied"]).map((row) => row["line"] as string);
  const last = (numbered.at(-1)?.["number"] ?? 0) as number;
  return {
    names: names.slice(0, WAITING_LINES_MAX),
    isPartial: names.length > WAITING_LINES_MAX || last === WAITING_LINE_ROWS_MAX,
  };
}

/** The counts of a line, where each count ended at `countedMax`. */
function toWaitingLine(line: string, load: LineLoad, row: Row, countedMax: number): WaitingLine {
  const isLaterAbout = numberOf(row, "delayed") + numberOf(row, "retried") >= countedMax;
  return {
    ...load,
    line,
    due: groupIn(row, "due", numberOf(row, "due") >= countedMax),
    delayed: groupIn(row, "delayed", isLaterAbout),
    retried: groupIn(row, "retried", isLaterAbout),
  };
}

/**
 * Shares the messages that one search may count among the lines whose first counts ended early. What
 * the smaller lines leave over is shared by the larger ones in another round.
 */
class CountShares {
  readonly #lines: ReadonlyMap<string, WaitingLine>;
  #rowsLeft = WAITING_ROWS_MAX;
  #countedMax = WAITING_FIRST_COUNT;
  #names: readonly string[] = [];

  /** Each round is expected to put its new counts into `lines`. */
  constructor(lines: ReadonlyMap<string, WaitingLine>) {
    this.#lines = lines;
  }

  /** The lines to count again, and up to what; null when another round would count no further. */
  next(): { readonly names: readonly string[]; readonly countedMax: number } | null {
    for (const name of this.#names) this.#rowsLeft -= countedIn(this.#lines.get(name)!);
    const about = [...this.#lines.values()].filter(isAbout);
    const countedMax = sharedCountMax(about.length, this.#rowsLeft);
    if (about.length === 0 || countedMax <= this.#countedMax) return null;
    this.#countedMax = countedMax;
    this.#names = about.map(({ line }) => line);
    return { names: this.#names, countedMax };
  }
}

/**
 * Where, of listed lines, the first counts ended early, and up to what those are counted again. Very many
 * would get no more than their first counts: then none is.
 */
export function toListAgain(statuses: readonly LineStatus[]): {
  indices: number[];
  countedMax: number;
} {
  const indices = statuses.flatMap(({ waiting }, index) =>
    waiting >= WAITING_FIRST_COUNT ? [index] : [],
  );
  const countedMax = sharedCountMax(indices.length, WAITING_ROWS_MAX);
  return { indices: countedMax > WAITING_FIRST_COUNT ? indices : [], countedMax };
}

function sharedCountMax(lines: number, rows: number): number {
  return Math.floor(rows / Math.max(1, lines));
}

function countedIn({ due, delayed, retried }: WaitingLine): number {
  return [due, delayed, retried].reduce((sum, group) => sum + (group?.count ?? 0), 0);
}

function isAbout({ due, delayed, retried }: WaitingLine): boolean {
  return [due, delayed, retried].some((group) => group?.isAbout);
}

function numberOf(row: Row, name: string): number {
  return Number(row[name]);
}

function groupIn(row: Row, name: string, isGroupAbout: boolean): WaitingGroup | null {
  const count = numberOf(row, name);
  if (count === 0) return null;
  return {
    count,
    isAbout: isGroupAbout,
    oldestId: row[`${name}_oldest`] as string,
    oldestHost: (row[`${name}_host`] ?? "") as string,
    readyAt: numberOf(row, `${name}_ready_at`),
  };
}
