import { LINES_MAX } from "../../../core/rules/line/turns.ts";
import { pairKey } from "../../group/row-keys.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { tryLockRoom } from "./line-lock.ts";
import {
  stateAfter,
  type Line,
  type LineState,
  readLineStates,
  nameColumns,
  roomIn,
  toLine,
} from "./line-state.ts";
import type { LineVisit } from "./line-visit.ts";

interface Head {
  readonly accountId: string;
  readonly messageId: string;
  readonly lineAfter: string;
}

export interface AdvancedQueues {
  readonly visits: LineVisit[];
  /** The lines that received messages, all locked by this claim. */
  readonly nextLines: Line[];
}

/**
 * Moves the first messages of queues on to their next lines as slots come free. Skips rows that
 * another transaction has locked; a queue stops at the first such message, so that order holds.
 */
export async function advanceQueues(
  session: Session,
  queues: readonly Line[],
  now: number,
): Promise<AdvancedQueues> {
  const states = await readLineStates(session, queues);
  const visits = queues.map((line, index): LineVisit => {
    const left = states[index] as LineState;
    const room = roomIn(left, line.running, now);
    return { line, room, asked: Math.min(room.count, LINES_MAX), took: 0, passedOver: false, left };
  });
  const read = await readHeads(session, visits, now);
  const heads = read.map((queue, index) => queue.slice(0, visits[index]!.asked));
  const all = heads.flat();
  if (all.length === 0) return { visits, nextLines: [] };
  const [free, nextLines] = await Promise.all([lockHeads(session, all), lockNext(session, all)]);
  const open = new Set(nextLines.map(keyOfLine));
  const leaving = heads.map((queue) => {
    const busyAt = queue.findIndex((head) => !free.has(keyOf(head)) || !open.has(keyOfNext(head)));
    return busyAt === -1 ? queue : queue.slice(0, busyAt);
  });
  await moveToNextLine(session, leaving.flat(), now);
  const taken = visits.map((visit, index) =>
    visitOf(visit, read[index]!.length, leaving[index]!.length),
  );
  return { visits: taken, nextLines };
}

function visitOf(visit: LineVisit, heads: number, took: number): LineVisit {
  if (took === 0) return visit;
  const nextReadyAt = heads > took ? visit.left.nextReadyAt : null;
  return { ...visit, took, left: stateAfter(visit.left, took, nextReadyAt) };
}

async function readHeads(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<Head[][]> {
  const heads: Head[][] = visits.map(() => []);
  if (visits.every(({ asked }) => asked === 0)) return heads;
  const names = nameColumns(visits.map(({ line }) => line));
  // One more than may leave, to know whether a message stays behind.
  const counts = visits.map(({ asked }) => (asked === 0 ? 0 : asked + 1));
  for (const row of await session.query(CLAIM_SQL.queueHeads, [...names, counts, now])) {
    const index = (row["nth"] as number) - 1;
    heads[index]?.push({
      accountId: visits[index]?.line.accountId as string,
      messageId: row["message_id"] as string,
      lineAfter: row["line_after"] as string,
    });
  }
  return heads;
}

async function lockHeads(session: Session, heads: readonly Head[]): Promise<Set<string>> {
  const rows = await session.query(CLAIM_SQL.lockHeads, keyColumns(heads));
  return new Set(
    rows.map((row) => pairKey(row["account_id"] as string, row["message_id"] as string)),
  );
}

/** The next lines of the heads, without those that another transaction has locked. */
async function lockNext(session: Session, heads: readonly Head[]): Promise<Line[]> {
  const wanted = new Map(
    heads.map((head) => [keyOfNext(head), { accountId: head.accountId, line: head.lineAfter }]),
  );
  const sorted = [...wanted.keys()].toSorted().flatMap((key) => wanted.get(key) ?? []);
  const [, rows] = await Promise.all([
    session.query(CLAIM_SQL.addLines, nameColumns(sorted)),
    session.query(CLAIM_SQL.lockLines, nameColumns(sorted)),
  ]);
  return [...(await tryLockRoom(session, rows.map(toLine)))];
}

async function moveToNextLine(
  session: Session,
  heads: readonly Head[],
  now: number,
): Promise<void> {
  if (heads.length > 0) await session.query(CLAIM_SQL.leaveQueue, [...keyColumns(heads), now]);
}

function keyColumns(heads: readonly Head[]): unknown[][] {
  return columnsOf(
    heads,
    ({ accountId }) => accountId,
    ({ messageId }) => messageId,
  );
}

const keyOf = ({ accountId, messageId }: Head): string => pairKey(accountId, messageId);
const keyOfNext = ({ accountId, lineAfter }: Head): string => pairKey(accountId, lineAfter);
const keyOfLine = ({ accountId, line }: Line): string => pairKey(accountId, line);
