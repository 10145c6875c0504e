import { lineKind, nextVisit } from "../../../core/model/line/line.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { tryLockLines } from "./line-lock.ts";
import {
  type Line,
  type LineState,
  readLineStates,
  nameColumns,
  nextReadyIn,
  roomIn,
} from "./line-state.ts";
import type { LineVisit } from "./line-visit.ts";

export interface LineSchedule {
  readonly visit: LineVisit;
  readonly nextVisitAt: number | null;
  readonly emptied: boolean;
  readonly windowStartedAt: number;
  readonly windowStarts: number;
}

/** When a line that a writer had locked is visited again. */
const BUSY_VISIT_MS = 100;
/** When a line that was read from a later start is visited again. */
const SECOND_VISIT_MS = 1_000;

/** Decides when each line is visited again, by what is left in it. */
export async function scheduleLines(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<LineSchedule[]> {
  const schedules = visits.map((visit) => scheduleOf(visit, now));
  const due = schedules.filter(({ nextVisitAt: nextAt }) => nextAt !== null && nextAt <= now);
  const later = schedules.filter((schedule) => !due.includes(schedule)).map(({ visit }) => visit);
  return later.length === 0 ? due : [...due, ...(await scheduleLater(session, later, now))];
}

/** A line is postponed only while no writer relies on it being due, judged under its lock. */
async function scheduleLater(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<LineSchedule[]> {
  const reading = visits.map((visit) => ({ ...visit, line: fromStartUnlessEmptied(visit) }));
  const [locked, schedules] = await Promise.all([
    tryLockLines(session, linesOf(reading)),
    readAgain(session, reading, now),
  ]);
  return schedules.map((schedule) => {
    const { line } = schedule.visit;
    if (!locked.has(line)) return { ...soonest(schedule, now + BUSY_VISIT_MS), emptied: false };
    return line.readyFrom === 0 ? schedule : soonest(schedule, now + SECOND_VISIT_MS);
  });
}

/** Most lines are empty now; their free capacity does not matter then. */
async function readAgain(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<LineSchedule[]> {
  const emptied = visits.filter(isEmptied);
  const others = visits.filter((visit) => !isEmptied(visit));
  const [readyAts, states] = await Promise.all([
    nextReadyIn(session, linesOf(emptied)),
    readLineStates(session, linesOf(others)),
  ]);
  return [
    ...emptied.map((visit, index) => scheduleWith(visit, readyAts[index] ?? null, now)),
    ...others.map((visit, index) =>
      scheduleOf({ ...visit, left: states[index] as LineState }, now),
    ),
  ];
}

const linesOf = (visits: readonly LineVisit[]): Line[] => visits.map(({ line }) => line);

const isEmptied = ({ left }: LineVisit): boolean => left.nextReadyAt === null;

/** A message added in the meantime is found by the next claim. */
function scheduleWith(visit: LineVisit, readyAt: number | null, now: number): LineSchedule {
  const schedule = scheduleOf(visit, now);
  if (readyAt === null) return schedule;
  return { ...schedule, nextVisitAt: Math.max(now, readyAt), emptied: false };
}

/**
 * A line that was just emptied, and was not read from its start, is visited once more in any case.
 */
function fromStartUnlessEmptied({ line, left }: LineVisit): Line {
  return left.nextReadyAt === null && !line.running.emptied ? line : { ...line, readyFrom: 0 };
}

function soonest(schedule: LineSchedule, at: number): LineSchedule {
  return { ...schedule, nextVisitAt: Math.min(schedule.nextVisitAt ?? at, at) };
}

function scheduleOf(visit: LineVisit, now: number): LineSchedule {
  const { line, took, asked, passedOver } = visit;
  const { windowStartedAt, windowStarts } = visit.room;
  const running = { ...line.running, windowStartedAt, windowStarts: windowStarts + took };
  const left = roomIn(visit.left, running, now);
  const room = { ...left, count: took + left.count };
  const { nextReadyAt } = visit.left;
  const { nextAt, emptied } = nextVisit({ now, room, asked, took, passedOver, nextReadyAt });
  return {
    visit,
    nextVisitAt: nextAt,
    emptied,
    windowStartedAt: left.windowStartedAt,
    windowStarts: left.windowStarts,
  };
}

/** Writes the schedules, which makes the lines available to other claims. */
export async function rescheduleLines(
  session: Session,
  rests: readonly LineSchedule[],
): Promise<void> {
  const removed = rests.filter(isRemoved).map(({ visit }) => visit.line);
  const kept = rests.filter((schedule) => !isRemoved(schedule));
  const columns = columnsOf(
    kept,
    ({ visit }) => visit.line.accountId,
    ({ visit }) => visit.line.line,
    ({ nextVisitAt: nextAt }) => nextAt,
    ({ windowStartedAt }) => windowStartedAt,
    ({ windowStarts }) => windowStarts,
    ({ emptied }) => emptied,
  );
  await Promise.all([
    kept.length > 0 && session.query(CLAIM_SQL.reschedule, columns),
    removed.length > 0 && session.query(CLAIM_SQL.removeLines, nameColumns(removed)),
  ]);
}

/** A key keeps its rate window; other lines have nothing worth keeping. */
function isRemoved({ nextVisitAt: nextAt, emptied, visit }: LineSchedule): boolean {
  return nextAt === null && emptied && lineKind(visit.line.line) !== "key";
}
