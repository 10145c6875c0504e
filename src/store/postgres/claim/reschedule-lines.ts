import { lineKind, nextLook } from "../../../core/model/line/line.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { ownLines } from "./line-lock.ts";
import {
  type Line,
  type LineState,
  readLineStates,
  nameColumns,
  nextReadyIn,
  roomIn,
} from "./line-look.ts";
import type { LineVisit } from "./visit.ts";

export interface LineSchedule {
  readonly visit: LineVisit;
  readonly nextVisitAt: number | null;
  readonly emptied: boolean;
  readonly windowStartedAt: number;
  readonly windowStarts: number;
}

/** How soon a line is looked at again that a writer was busy with when it was to sleep. */
const BUSY_VISIT_MS = 100;
/** How soon one is that was not looked at wholly. */
const SECOND_VISIT_MS = 1_000;

/** When lines are to be looked at again, by what is left in them. */
export async function scheduleLines(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<LineSchedule[]> {
  const rests = visits.map((visit) => scheduleOf(visit, now));
  const due = rests.filter(({ nextVisitAt: nextAt }) => nextAt !== null && nextAt <= now);
  const later = rests.filter((rest) => !due.includes(rest)).map(({ visit }) => visit);
  return later.length === 0 ? due : [...due, ...(await scheduleLater(session, later, now))];
}

/** A line sleeps only while no writer relies on its being due, judged once nobody can any more. */
async function scheduleLater(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<LineSchedule[]> {
  const looked = visits.map((visit) => ({ ...visit, line: whollyUnlessEmptied(visit) }));
  const [own, rests] = await Promise.all([
    ownLines(session, linesOf(looked)),
    readAgain(session, looked, now),
  ]);
  return rests.map((rest) => {
    const { line } = rest.visit;
    if (!own.has(line)) return { ...soonest(rest, now + BUSY_VISIT_MS), emptied: false };
    return line.readyFrom === 0 ? rest : soonest(rest, now + SECOND_VISIT_MS);
  });
}

/** In most lines nobody is left; how much room they have does not matter then. */
async function readAgain(
  session: Session,
  visits: readonly LineVisit[],
  now: number,
): Promise<LineSchedule[]> {
  const emptied = visits.filter(isEmptied);
  const others = visits.filter((visit) => !isEmptied(visit));
  const [comers, looks] = await Promise.all([
    nextReadyIn(session, linesOf(emptied)),
    readLineStates(session, linesOf(others)),
  ]);
  return [
    ...emptied.map((visit, index) => scheduleWith(visit, comers[index] ?? null, now)),
    ...others.map((visit, index) => scheduleOf({ ...visit, left: looks[index] as LineState }, now)),
  ];
}

const linesOf = (visits: readonly LineVisit[]): Line[] => visits.map(({ line }) => line);

const isEmptied = ({ left }: LineVisit): boolean => left.nextReadyAt === null;

/** Somebody who came meanwhile is seen to by the next claim, which looks for room. */
function scheduleWith(visit: LineVisit, comesAt: number | null, now: number): LineSchedule {
  const rest = scheduleOf(visit, now);
  return comesAt === null ? rest : { ...rest, nextVisitAt: Math.max(now, comesAt), emptied: false };
}

/** A line that was not looked at wholly, and has just been emptied, is looked at once more in any case. */
function whollyUnlessEmptied({ line, left }: LineVisit): Line {
  return left.nextReadyAt === null && !line.running.emptied ? line : { ...line, readyFrom: 0 };
}

function soonest(rest: LineSchedule, at: number): LineSchedule {
  return { ...rest, nextVisitAt: Math.min(rest.nextVisitAt ?? at, at) };
}

function scheduleOf(visit: LineVisit, now: number): LineSchedule {
  const { line, took, asked, passedOver } = visit;
  const { windowStartedAt, windowStarts } = visit.room;
  const running = { ...line.running, windowStartedAt, windowStarts: windowStarts + took };
  const left = roomIn(visit.left, running, now);
  const room = { ...left, count: took + left.count };
  const { nextReadyAt } = visit.left;
  const { nextAt, emptied } = nextLook({ now, room, asked, took, passedOver, nextReadyAt });
  return {
    visit,
    nextVisitAt: nextAt,
    emptied,
    windowStartedAt: left.windowStartedAt,
    windowStarts: left.windowStarts,
  };
}

/** Puts the lines back for others to find. */
export async function rescheduleLines(
  session: Session,
  rests: readonly LineSchedule[],
): Promise<void> {
  const forgotten = rests.filter(isForgotten).map(({ visit }) => visit.line);
  const kept = rests.filter((rest) => !isForgotten(rest));
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
    kept.length > 0 && session.query(CLAIM_SQL.putBack, columns),
    forgotten.length > 0 && session.query(CLAIM_SQL.forgetLines, nameColumns(forgotten)),
  ]);
}

/** A key keeps its rate window; of the other lines nothing is worth keeping. */
function isForgotten({ nextVisitAt: nextAt, emptied, visit }: LineSchedule): boolean {
  return nextAt === null && emptied && lineKind(visit.line.line) !== "key";
}
