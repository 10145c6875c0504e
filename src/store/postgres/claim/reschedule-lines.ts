import { isForgotten, nextVisit, windowAfter } from "../../../core/model/line/line.ts";
import { lineKey } from "../../group/row-keys.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import { lineArrays } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { tryLockLines } from "./line-lock.ts";
import { type LineState, type LineVisit, readStates, roomIn } from "./lines.ts";

export interface LineSchedule {
  readonly visit: LineVisit;
  readonly nextVisitAt: number | null;
  readonly emptied: boolean;
}

/** A line that no writer relies on, as it was read under its lock. */
interface SeenAgain {
  readonly state: LineState;
  /** It was read from its start. */
  readonly isWhole: boolean;
}

/** When a line that a writer had locked is visited again. */
const BUSY_VISIT_MS = 100;
/** When a line that was read from a later start is visited again. */
const SECOND_VISIT_MS = 1_000;

/**
 * Locks the lines that are to be postponed and reads them again: a line is postponed only while no
 * writer relies on it being due.
 */
export async function seeAgain(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<ReadonlyMap<string, SeenAgain>> {
  const lines = visits
    .filter((visit) => isLater(scheduleOf(visit, now), now))
    .map(({ line, left }) => (isJustEmptied({ line, left }) ? line : { ...line, readyFrom: 0 }));
  if (lines.length === 0) return new Map();
  const [locked, states] = await Promise.all([
    tryLockLines(session, lines),
    readStates(session, lines),
  ]);
  const seen = lines.map((line, index) => ({ line, state: states[index]! }));
  return new Map(
    seen
      .filter(({ line }) => locked.has(line))
      .map(({ line, state }) => [lineKey(line), { state, isWhole: line.readyFrom === 0 }]),
  );
}

/** Such a line is visited once more in any case when it was not read from its start. */
function isJustEmptied({ line, left }: Pick<LineVisit, "line" | "left">): boolean {
  return left.nextReadyAt === null && !line.running.emptied;
}

/** Decides when a line is visited again, by what is left in it. */
export function schedule(
  visit: LineVisit,
  seen: ReadonlyMap<string, SeenAgain>,
  now: number,
): LineSchedule {
  const again = seen.get(lineKey(visit.line));
  const next = scheduleOf(again ? { ...visit, left: again.state } : visit, now);
  if (!isLater(next, now)) return next;
  if (again === undefined) return { ...soonest(next, now + BUSY_VISIT_MS), emptied: false };
  return again.isWhole ? next : soonest(next, now + SECOND_VISIT_MS);
}

export function isLater({ nextVisitAt }: LineSchedule, now: number): boolean {
  return nextVisitAt === null || nextVisitAt > now;
}

function soonest(next: LineSchedule, at: number): LineSchedule {
  return { ...next, nextVisitAt: Math.min(next.nextVisitAt ?? at, at) };
}

function scheduleOf(visit: LineVisit, now: number): LineSchedule {
  const { line, room, took, passedOver } = visit;
  const { nextReadyAt } = visit.left;
  const free = roomIn(visit.left, { ...line.running, ...windowAfter(room, took) }, now);
  const before = { ...free, count: took + free.count };
  const { nextAt, emptied } = nextVisit({ now, room: before, took, passedOver, nextReadyAt });
  return { visit, nextVisitAt: nextAt, emptied };
}

/** Writes the schedules, which makes the lines available to other claims. */
export async function rescheduleLines(
  session: Session,
  schedules: readonly LineSchedule[],
): Promise<void> {
  const [removed, kept] = [
    schedules.filter(isRemoved),
    schedules.filter((each) => !isRemoved(each)),
  ];
  const columns = columnsOf(
    kept,
    ({ visit }) => visit.line.accountId,
    ({ visit }) => visit.line.line,
    ({ nextVisitAt }) => nextVisitAt,
    ({ visit }) => visit.room.windowStartedAt,
    ({ visit }) => windowAfter(visit.room, visit.took).windowStarts,
    ({ emptied }) => emptied,
  );
  await Promise.all([
    kept.length > 0 && session.query(CLAIM_SQL.reschedule, columns),
    removed.length > 0 &&
      session.query(CLAIM_SQL.removeLines, lineArrays(removed.map(({ visit }) => visit.line))),
  ]);
}

function isRemoved({ visit, nextVisitAt, emptied }: LineSchedule): boolean {
  return isForgotten(visit.line.line, { nextAt: nextVisitAt, emptied });
}
