import { KEY_PREFIX, type LineKey } from "../../../core/model/line/line.ts";
import type { Needs } from "../../../core/rule.ts";
import type { Instant } from "../../../core/model/time.ts";
import type { Clock } from "../../../platform/clock.ts";
import { lineKey } from "../../group/row-keys.ts";
import type { WorkingSet } from "../../group/working-set.ts";
import { toLineSnapshot } from "../../records/rows.ts";
import { HELD } from "../claim/claim-sql.ts";
import { ROOM_CLASS, roomNumber } from "../claim/line-lock.ts";
import type { Session } from "../driver/conversation.ts";
import { isLockTimeout } from "../driver/errors.ts";
import { LOCK_TIMEOUT_MS } from "../driver/opening.ts";
import { constantColumn, numberedRowsOf, orConstant } from "./columns.ts";
import { LINE_KEY, withRow } from "./rows-by-key.ts";

/** Lines that one group tries to lock; all transactions share one table of locks. */
const LINES_TRIED_MAX = 128;
/** Far more than a group takes, also on a busy machine: a message that does not wait leaves its line to claims. */
const ROOM_WAIT_MS = 1_000;
const ROOM_PAUSE_MS = 10_000;

/**
 * Whether groups of this node wait for the rooms of flow-control keys. A node that stops in the
 * middle of a group keeps its rooms until the server ends its transaction, and every group that
 * names the key would wait. So after a wait in vain no group waits for a while.
 */
export class RoomWait {
  readonly #clock: Pick<Clock, "monotonic">;
  #pausedUntil = -Infinity;

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  get isAllowed(): boolean {
    return this.#clock.monotonic() >= this.#pausedUntil;
  }

  wasInVain(): void {
    this.#pausedUntil = this.#clock.monotonic() + ROOM_PAUSE_MS;
  }
}

/** The lines from which the acts may lease at once, in the order in which rooms are locked. */
export function linesNamed(needs: readonly Needs[]): LineKey[] {
  const named = new Map<string, LineKey>();
  for (const { lines } of needs) for (const key of lines ?? []) named.set(lineKey(key), key);
  const tried = [...named.values()].slice(0, LINES_TRIED_MAX);
  return tried.length < 2 ? tried : inRoomOrder(tried);
}

function inRoomOrder(lines: readonly LineKey[]): LineKey[] {
  const numbered = lines.map((line) => ({ line, number: roomNumber(line) }));
  return numbered.toSorted((one, other) => one.number - other.number).map(({ line }) => line);
}

/** The indexes, from 1, of the lines whose rooms a group has locked. */
export type LockedRooms = ReadonlySet<number>;

/**
 * Locks the rooms of lines without work for a claim, so that frequent publishing never keeps claims
 * away. A line whose account is halted or has a limit is left to claims, and so is a queue whose room
 * another transaction has locked: most of its messages wait for their turn anyway. The first
 * statement of a group, so that it holds nothing for which others wait while it waits for a key.
 */
export async function lockRooms(
  session: Session,
  lines: readonly LineKey[],
  now: Instant,
  wait: RoomWait,
): Promise<LockedRooms> {
  if (lines.length === 0) return NO_ROOMS;
  const waits = wait.isAllowed && lines.some(isKey);
  const accountIds = constantColumn(lines, ({ accountId }) => accountId);
  const names = lines.map(({ line }) => line);
  const numbers = lines.map(roomNumber);
  const values = [accountIds, names, numbers, now, ROOM_CLASS, waits, String(LOCK_TIMEOUT_MS)];
  try {
    const [, [tried]] = await Promise.all([
      waits && session.query(ROOM_SQL.waitBriefly),
      session.query(ROOM_SQL.lock, values),
    ]);
    return new Set(tried?.["locked"] as readonly number[] | null);
  } catch (error) {
    if (waits && isLockTimeout(error)) wait.wasInVain();
    throw error;
  }
}

const NO_ROOMS: LockedRooms = new Set();

function isKey({ line }: LineKey): boolean {
  return line.startsWith(KEY_PREFIX);
}

/** Loads the lines whose rooms are locked, by a statement that sees all that was committed before. */
export async function loadSnapshots(
  session: Session,
  lines: readonly LineKey[],
  rooms: Promise<LockedRooms>,
  rows: WorkingSet,
): Promise<void> {
  if (lines.length === 0) return;
  const accountIds = constantColumn(lines, ({ accountId }) => accountId);
  const names = lines.map(({ line }) => line);
  const [locked, found] = await Promise.all([
    rooms,
    session.query(ROOM_SQL.snapshots, [accountIds, names]),
  ]);
  for (const row of found) {
    const index = row["nth"] as number;
    const key = lines[index - 1]!;
    if (locked.has(index)) rows.lines.load(key, toLineSnapshot(row, key));
  }
}

/** Evaluated once instead of once for each line. Reads lines_due and lines_shut. */
const NONE_WAITS = `(SELECT coalesce(
    (SELECT false FROM lines WHERE account_id = ANY ($1::text[]) AND next_at <= $4 LIMIT 1),
    (SELECT false FROM lines
     WHERE account_id = ANY ($1::text[]) AND next_at IS NULL AND NOT emptied LIMIT 1), true))`;

const ROOM_SQL = {
  waitBriefly: `SELECT set_config('lock_timeout', '${ROOM_WAIT_MS}', true)`,
  // The lines come in the order of their rooms. Behind the last one the usual timeout counts again.
  lock: `SELECT locked, set_config('lock_timeout', $7, true) FROM (
      SELECT array_agg(nth) FILTER (WHERE own) AS locked FROM (
        SELECT k.nth, CASE WHEN $6::boolean AND line LIKE '${KEY_PREFIX}%'
          THEN pg_advisory_xact_lock($5::int, k.number)::text IS NOT NULL
          ELSE pg_try_advisory_xact_lock($5::int, k.number) END AS own
        FROM (
          SELECT ${orConstant("account_id", 1, "text")} AS account_id, line, number, nth
          FROM ${numberedRowsOf("account_id $1 text", "line $2 text", "number $3 int")} n
        ) k
        WHERE CASE WHEN ${NONE_WAITS} THEN true
            ELSE coalesce((
              SELECT CASE WHEN next_at IS NULL THEN emptied ELSE next_at > $4 END FROM lines
              WHERE account_id = k.account_id AND line = k.line), true) END
          AND k.account_id NOT IN (SELECT account_id FROM accounts
            WHERE account_id = ANY ($1::text[]) AND (halted OR parallelism_max IS NOT NULL))
      ) tried
    ) all_tried`,
  // A line with a waiting message is due or shut. messages_waiting
  snapshots: `SELECT k.nth, m.parallelism, m.rate, m.period_ms, m.paused, m.pinned_parallelism,
      m.pinned_rate, m.created_at, m.updated_at,
      l.next_at, l.window_started_at, l.window_starts, l.emptied, ${HELD} AS held,
      CASE WHEN l.line IS NOT NULL THEN (SELECT ready_at FROM messages
       WHERE account_id = k.account_id AND line = k.line AND phase = 0 AND NOT suspect
       ORDER BY ready_at, message_id LIMIT 1) END AS next_ready_at
    FROM (
      SELECT ${orConstant("account_id", 1, "text")} AS account_id, line, nth
      FROM ${numberedRowsOf("account_id $1 text", "line $2 text")} n
    ) k
    ${withRow("line_limits", LINE_KEY, "m")}
    ${withRow("lines", LINE_KEY, "l")}`,
} as const;
