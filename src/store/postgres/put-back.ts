import { lineKind, nextLook } from "../../core/model/line.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "./columns.ts";
import type { Session } from "./conversation.ts";
import { ownLines } from "./line-lock.ts";
import { type Line, type Look, lookAt, nameColumns, roomIn } from "./line-look.ts";
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
  const lines = visits.map(({ line }) => line);
  const looked = visits.map(whollyUnlessEmptied);
  const [own, looks] = await Promise.all([ownLines(session, lines), lookAt(session, looked)]);
  return visits.map((visit, place) => {
    const rest = restOf({ ...visit, left: looks[place] as Look }, now);
    if (!own.has(visit.line)) return { ...soonest(rest, now + BUSY_LOOK_MS), emptied: false };
    return looked[place]?.readyFrom === 0 ? rest : soonest(rest, now + SECOND_LOOK_MS);
  });
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
