import { LINES_MAX } from "../../../core/rules/line/turns.ts";
import type { LineKey } from "../../../core/model/line/line.ts";
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

/**
 * Locks the first messages of queues that have free slots, and their next lines. Skips rows that
 * another transaction has locked; a queue stops at the first such message, so that order holds.
 */
export async function lockHeads(
  session: Session,
  queues: readonly OpenLine[],
  now: number,
): Promise<LeavingQueues> {
  const rooms = queues.map(({ line, state }) => roomIn(state, line.running, now));
  const asked = queues.map(({ heads }, index) =>
    heads.slice(0, Math.min(rooms[index]!.count, LINES_MAX)),
  );
  const all = asked.flat();
  const next = inOrder(all.map(lineAfter));
  const [free, , open] = await Promise.all([
    tryLockMessages(session, all),
    addRows(session, next),
    tryLockRows(session, next),
  ]);
  const leaving = asked.map((heads) => {
    const busyAt = heads.findIndex(
      (head) => !free.has(messageKey(head)) || !open.has(lineKey(lineAfter(head))),
    );
    return busyAt === -1 ? heads : heads.slice(0, busyAt);
  });
  const visits = queues.map(({ line, state, heads }, index): LineVisit => {
    const took = leaving[index]!.length;
    const nextReadyAt = heads.length > took ? state.nextReadyAt : null;
    const left = stateAfter(state, took, nextReadyAt);
    return { line, room: rooms[index]!, took, passedOver: false, left };
  });
  const nextLines = next.filter((line) => open.has(lineKey(line)));
  return { visits, heads: leaving.flat(), nextLines };
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

function lineAfter({ accountId, lineAfter: line }: Head): LineKey {
  return { accountId, line };
}
