import { lineKind, nextLook } from "../../../core/model/line/line.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import { ownLines } from "./line-lock.ts";
import { type Line, type Look, lookAt, nameColumns, nextReadyIn, roomIn } from "./line-look.ts";
import type { Visit } from "./visit.ts";

export interface Rest {
  readonly visit: Visit;
  readonly nextAt: number | null;
  readonly emptied: boolean;
  readonly windowStartedAt: number;
  readonly windowStarts: number;
}

/** How soon a line is looked at again that a writer was busy with when it was to sleep. */
const BUSY_LOOK_MS = 100;
/** How soon one is that was not looked at wholly. */
const SECOND_LOOK_MS = 1_000;

/** When lines are to be looked at again, by what is left in them. */
export async function restsOf(
  session: Session,
  visits: readonly Visit[],
  now: number,
): Promise<Rest[]> {
  const rests = visits.map((visit) => restOf(visit, now));
  const awake = rests.filter(({ nextAt }) => nextAt !== null && nextAt <= now);
  const tired = rests.filter((rest) => !awake.includes(rest)).map(({ visit }) => visit);
  return tired.length === 0 ? awake : [...awake, ...(await letSleep(session, tired, now))];
}

/** A line sleeps only while no writer relies on its being due, judged once nobody can any more. */
async function letSleep(session: Session, visits: readonly Visit[], now: number): Promise<Rest[]> {
  const looked = visits.map((visit) => ({ ...visit, line: whollyUnlessEmptied(visit) }));
  const [own, rests] = await Promise.all([
    ownLines(session, linesOf(looked)),
    lookAgain(session, looked, now),
  ]);
  return rests.map((rest) => {
    const { line } = rest.visit;
    if (!own.has(line)) return { ...soonest(rest, now + BUSY_LOOK_MS), emptied: false };
    return line.readyFrom === 0 ? rest : soonest(rest, now + SECOND_LOOK_MS);
  });
}

/** In most lines nobody is left; how much room they have does not matter then. */
async function lookAgain(session: Session, visits: readonly Visit[], now: number): Promise<Rest[]> {
  const emptied = visits.filter(isEmptied);
  const others = visits.filter((visit) => !isEmptied(visit));
  const [comers, looks] = await Promise.all([
    nextReadyIn(session, linesOf(emptied)),
    lookAt(session, linesOf(others)),
  ]);
  return [
    ...emptied.map((visit, place) => restWith(visit, comers[place] ?? null, now)),
    ...others.map((visit, place) => restOf({ ...visit, left: looks[place] as Look }, now)),
  ];
}

const linesOf = (visits: readonly Visit[]): Line[] => visits.map(({ line }) => line);

const isEmptied = ({ left }: Visit): boolean => left.nextReadyAt === null;

/** Somebody who came meanwhile is seen to by the next claim, which looks for room. */
function restWith(visit: Visit, comesAt: number | null, now: number): Rest {
  const rest = restOf(visit, now);
  return comesAt === null ? rest : { ...rest, nextAt: Math.max(now, comesAt), emptied: false };
}

/** A line that was not looked at wholly, and has just been emptied, is looked at once more in any case. */
function whollyUnlessEmptied({ line, left }: Visit): Line {
  return left.nextReadyAt === null && !line.running.emptied ? line : { ...line, readyFrom: 0 };
}

function soonest(rest: Rest, at: number): Rest {
  return { ...rest, nextAt: Math.min(rest.nextAt ?? at, at) };
}

function restOf(visit: Visit, now: number): Rest {
  const { line, took, asked, passedOver } = visit;
  const { windowStartedAt, windowStarts } = visit.room;
  const running = { ...line.running, windowStartedAt, windowStarts: windowStarts + took };
  const left = roomIn(visit.left, running, now);
  const room = { ...left, count: took + left.count };
  const { nextReadyAt } = visit.left;
  const next = nextLook({ now, room, asked, took, passedOver, nextReadyAt });
  return {
    visit,
    ...next,
    windowStartedAt: left.windowStartedAt,
    windowStarts: left.windowStarts,
  };
}

/** Puts the lines back for others to find. */
export async function putBack(session: Session, rests: readonly Rest[]): Promise<void> {
  const forgotten = rests.filter(isForgotten).map(({ visit }) => visit.line);
  const kept = rests.filter((rest) => !isForgotten(rest));
  const columns = columnsOf(
    kept,
    ({ visit }) => visit.line.accountId,
    ({ visit }) => visit.line.line,
    ({ nextAt }) => nextAt,
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
function isForgotten({ nextAt, emptied, visit }: Rest): boolean {
  return nextAt === null && emptied && lineKind(visit.line.line) !== "key";
}
