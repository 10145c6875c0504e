import { LINES_MAX } from "../../../core/rules/line/turns.ts";
import { type LineKey, type Room, UNLIMITED } from "../../../core/model/line/line.ts";
import { lineKey, messageKey, pairKey } from "../../group/row-keys.ts";
import { MESSAGES } from "../../records/message-tables.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { arraysOf, lineArrays } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import {
  addRows,
  type Head,
  inOrder,
  type LineVisit,
  type OpenLine,
  roomIn,
  stateAfter,
  tryLockRows,
  type Waiting,
} from "./lines.ts";

/** The first messages of queues, which may move to their next lines. */
export interface LeavingQueues {
  readonly visits: LineVisit[];
  readonly heads: readonly Head[];
  /** Where they go, all locked by this claim. */
  readonly nextLines: readonly LineKey[];
}

/** A queue, its free slots, and the messages that they are for. */
export interface OpenQueue {
  readonly queue: OpenLine;
  readonly room: Room;
  readonly heads: readonly Head[];
}

export function openQueue(queue: OpenLine, now: number): OpenQueue {
  const room = roomIn(queue.state, queue.line.running, now);
  return { queue, room, heads: queue.heads.slice(0, Math.min(room.count, LINES_MAX)) };
}

/** Whether all its messages may be leased where they are. */
export function isDirect({ heads }: OpenQueue): boolean {
  return heads.every((head) => head.isDirect);
}

/** The next lines of messages that are leased in their queues; they have no rows. */
export function nextLinesOf(queues: readonly OpenQueue[]): OpenLine[] {
  const byLine = Map.groupBy(
    queues.flatMap(({ heads }) => heads),
    lineKey,
  );
  return Array.from(byLine.values(), (waiting): OpenLine => {
    const { accountId, line } = waiting[0]!;
    const state = { limits: UNLIMITED, held: 0, nextReadyAt: null };
    const open = { accountId, line, readyFrom: 0, running: UNUSED };
    return { line: open, hasRow: false, state, waiting, heads: [] };
  });
}

/** What became of a queue of which `took` messages have left. */
export function visitOfQueue({ queue, room }: OpenQueue, took: number): LineVisit {
  const { line, state, heads } = queue;
  const nextReadyAt = heads.length > took ? state.nextReadyAt : null;
  return { line, room, took, passedOver: false, left: stateAfter(state, took, nextReadyAt) };
}

/**
 * Locks the first messages of queues that have free slots, and their next lines. Skips rows that
 * another transaction has locked; a queue stops at the first such message, so that order holds.
 */
export async function lockHeads(
  session: Session,
  queues: readonly OpenQueue[],
): Promise<LeavingQueues> {
  const all = queues.flatMap(({ heads }) => heads);
  const next = inOrder(all.map(({ accountId, line }) => ({ accountId, line })));
  const [free, , open] = await Promise.all([
    tryLockMessages(session, all),
    addRows(session, next),
    tryLockRows(session, next),
  ]);
  const leaving = queues.map(({ heads }) => {
    const busyAt = heads.findIndex(
      (head) => !free.has(messageKey(head)) || !open.has(lineKey(head)),
    );
    return busyAt === -1 ? heads : heads.slice(0, busyAt);
  });
  const visits = queues.map((each, index) => visitOfQueue(each, leaving[index]!.length));
  const nextLines = next.filter((line) => open.has(lineKey(line)));
  return { visits, heads: leaving.flat(), nextLines };
}

/** The queues with their messages before the first that was not chosen, so that order holds. */
export function chosenHeads(queues: readonly OpenQueue[], chosen: readonly Waiting[]): OpenQueue[] {
  const isChosen = new Set(chosen);
  return queues.map((each) => {
    const leftAt = each.heads.findIndex((head) => !isChosen.has(head));
    return leftAt === -1 ? each : { ...each, heads: each.heads.slice(0, leftAt) };
  });
}

/** Makes lines due in which no message waits yet. The next claim moves messages to them. */
export async function addDueLines(
  session: Session,
  lines: readonly LineKey[],
  now: number,
): Promise<void> {
  if (lines.length > 0)
    await session.query(CLAIM_SQL.addDueLines, [...lineArrays(inOrder(lines)), now]);
}

async function tryLockMessages(session: Session, heads: readonly Head[]): Promise<Set<string>> {
  if (heads.length === 0) return new Set();
  const rows = await session.query(CLAIM_SQL.lockHeads, arraysOf(MESSAGES.key, heads));
  return new Set(
    rows.map((row) => pairKey(row["account_id"] as string, row["message_id"] as string)),
  );
}

/** Moves locked messages to their next lines. */
export async function leaveQueues(
  session: Session,
  heads: readonly Head[],
  now: number,
): Promise<void> {
  if (heads.length > 0)
    await session.query(CLAIM_SQL.leaveQueue, [...arraysOf(MESSAGES.key, heads), now]);
}

/**
 * Messages of paused queues go back into their queues, where they block no others. They keep their
 * positions, and leave again when the queue is resumed. Skips rows that another transaction has
 * locked. Returns the keys of the messages moved.
 */
export async function park(
  session: Session,
  waiting: readonly Waiting[],
  now: number,
): Promise<ReadonlySet<string>> {
  const held = waiting.filter(({ pausedQueue }) => pausedQueue !== null);
  if (held.length === 0) return new Set();
  const queues = held.map(({ accountId, pausedQueue }) => ({ accountId, line: pausedQueue! }));
  const names = lineArrays(queues);
  const messageIds = held.map(({ messageId }) => messageId);
  // A queue that was resumed in the meantime was visited without these messages, so it becomes due
  // again.
  const [, rows] = await Promise.all([
    addRows(session, queues),
    session.query(CLAIM_SQL.park, [...names, messageIds]),
    session.query(CLAIM_SQL.makeLinesDue, [...names, now]),
  ]);
  return new Set(
    rows.map((row) => pairKey(row["account_id"] as string, row["message_id"] as string)),
  );
}

const UNUSED = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: true };
