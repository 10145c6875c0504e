import {
  type LineLimits,
  type LineRunning,
  lineKind,
  type Room,
  roomOf,
  unsetLimits,
  type LineKey,
} from "../../../core/model/line/line.ts";
import { lineKey } from "../../group/row-keys.ts";
import { type Row, toLineLimits, toLineRunning } from "../../records/rows.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { lineArrays } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { ROOM_CLASS, roomNumber } from "./line-lock.ts";

export interface NamedLine extends LineKey {
  /** Messages that were ready before this instant are skipped; see low-water.ts. */
  readonly readyFrom: number;
}

/** A line that this claim has locked, so that no other transaction takes messages from it. */
export interface Line extends NamedLine {
  readonly running: LineRunning;
}

/** The limits and the load of a line at one instant. */
export interface LineState {
  readonly limits: LineLimits;
  /** Messages that count against its limit. */
  readonly held: number;
  /** When the first waiting message is ready; null when none waits. */
  readonly nextReadyAt: number | null;
}

/** A message that may leave its line now. */
export interface Waiting {
  readonly accountId: string;
  readonly messageId: string;
  readonly line: string;
  readonly host: string;
  readonly bytes: number;
  readonly readyAt: number;
  /** The queue it came from, if that has been paused since. */
  readonly pausedQueue: string | null;
}

/** One of the first messages of a queue; `line` is its next one. */
export interface Head extends Waiting {
  /** No message waits in its next line, which is a host, so a claim may lease it in its queue. */
  readonly isDirect: boolean;
}

/** A locked line with its first messages; a queue has heads, any other line messages to lease. */
export interface OpenLine {
  readonly line: Line;
  /** False for a line in which no message waits: it is not visited again. */
  readonly hasRow: boolean;
  readonly state: LineState;
  readonly waiting: readonly Waiting[];
  readonly heads: readonly Head[];
}

/** What a claim did with a line. */
export interface LineVisit {
  readonly line: Line;
  readonly room: Room;
  readonly took: number;
  /** Messages were left that may be sent later or by another node. */
  readonly passedOver: boolean;
  /** The line's state afterwards. */
  readonly left: LineState;
}

/**
 * Locks lines, without those that another transaction has locked, and reads them by statements of
 * their own, which see all that was committed before. Reads `countOf` messages of a line.
 */
export async function openLines(
  session: Session,
  lines: readonly NamedLine[],
  now: number,
  countOf: (line: NamedLine) => number,
): Promise<OpenLine[]> {
  const [locked, states, waiting, heads] = await Promise.all([
    tryLockRows(session, lines),
    readStates(session, lines),
    readWaiting(session, lines, now, countOf),
    readHeads(session, lines, now),
  ]);
  return lines.flatMap((line, index) => {
    const key = lineKey(line);
    const running = locked.get(key);
    if (running === undefined) return [];
    const first = { waiting: waiting.get(key) ?? [], heads: heads.get(key) ?? [] };
    return [{ line: { ...line, running }, hasRow: true, state: states[index]!, ...first }];
  });
}

/** Locks the rows of lines and the rooms of queues and keys. Returns those that it has locked. */
export async function tryLockRows(
  session: Session,
  lines: readonly LineKey[],
): Promise<Map<string, LineRunning>> {
  if (lines.length === 0) return new Map();
  const values = [...lineArrays(lines), lines.map(roomNumber), ROOM_CLASS];
  const rows = await session.query(CLAIM_SQL.lockLines, values);
  const locked = rows.filter((row) => row["own"] === true);
  return new Map(locked.map((row) => [lineKey(toLineKey(row)), toLineRunning(row)]));
}

/** Adds the rows that lines lack, in one order, so that no two claims deadlock. */
export async function addRows(session: Session, lines: readonly LineKey[]): Promise<void> {
  if (lines.length > 0) await session.query(CLAIM_SQL.addLines, lineArrays(inOrder(lines)));
}

/** Each line once, sorted by its key. */
export function inOrder<Key extends LineKey>(lines: readonly Key[]): Key[] {
  const named = new Map(lines.map((line) => [lineKey(line), line]));
  return [...named.keys()].toSorted().map((key) => named.get(key)!);
}

export async function readStates(
  session: Session,
  lines: readonly NamedLine[],
): Promise<LineState[]> {
  if (lines.length === 0) return [];
  const from = lines.map(({ readyFrom }) => readyFrom);
  const rows = await session.query(CLAIM_SQL.lineStates, [...lineArrays(lines), from]);
  return lines.map(({ line }, index) => toLineState(line, rows[index]!));
}

async function readWaiting(
  session: Session,
  lines: readonly NamedLine[],
  now: number,
  countOf: (line: NamedLine) => number,
): Promise<Map<string, Waiting[]>> {
  const found = new Map<string, Waiting[]>();
  const reading = lines.filter((line) => !isQueue(line) && countOf(line) > 0);
  if (reading.length === 0) return found;
  const from = reading.map(({ readyFrom }) => readyFrom);
  const values = [...lineArrays(reading), from, reading.map(countOf), now];
  for (const row of await session.query(CLAIM_SQL.ready, values)) {
    const line = reading[(row["nth"] as number) - 1]!;
    addTo(found, line, toWaiting(row, line));
  }
  return found;
}

async function readHeads(
  session: Session,
  lines: readonly LineKey[],
  now: number,
): Promise<Map<string, Head[]>> {
  const found = new Map<string, Head[]>();
  const queues = lines.filter(isQueue);
  if (queues.length === 0) return found;
  for (const row of await session.query(CLAIM_SQL.queueHeads, [...lineArrays(queues), now])) {
    const queue = queues[(row["nth"] as number) - 1]!;
    const { accountId } = queue;
    const next = { accountId, line: row["line_after"] as string };
    const head = toWaiting({ ...row, ready_at: now, paused_queue: null }, next);
    addTo(found, queue, { ...head, isDirect: row["is_direct"] === true });
  }
  return found;
}

function addTo<Item>(found: Map<string, Item[]>, line: LineKey, item: Item): void {
  const key = lineKey(line);
  const known = found.get(key);
  if (known === undefined) found.set(key, [item]);
  else known.push(item);
}

/**
 * The state after `took` messages have left, without reading it again: a line that is postponed is
 * read again anyway (reschedule-lines.ts).
 */
export function stateAfter(state: LineState, took: number, nextReadyAt: number | null): LineState {
  return took === 0 ? state : { ...state, held: state.held + took, nextReadyAt };
}

export function roomIn(state: LineState, running: LineRunning, now: number): Room {
  return roomOf(state.limits, running, state.held, now);
}

export function isQueue({ line }: LineKey): boolean {
  return lineKind(line) === "queue";
}

export function toLineKey(row: Row): LineKey {
  return { accountId: row["account_id"] as string, line: row["line"] as string };
}

export function toWaiting(row: Row, { accountId, line }: LineKey): Waiting {
  return {
    accountId,
    line,
    messageId: row["message_id"] as string,
    host: row["host"] as string,
    bytes: row["bytes"] as number,
    readyAt: row["ready_at"] as number,
    pausedQueue: row["paused_queue"] as string | null,
  };
}

function toLineState(line: string, row: Row): LineState {
  const limits = row["period_ms"] === null ? unsetLimits(line) : toLineLimits(row);
  return {
    limits: row["halted"] === true ? { ...limits, halted: true } : limits,
    held: row["held"] as number,
    nextReadyAt: row["next_ready_at"] as number | null,
  };
}
