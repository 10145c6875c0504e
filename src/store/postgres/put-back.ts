import { lineKind, nextLook } from "../../core/model/line.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "./columns.ts";
import type { Session } from "./connection.ts";
import { ownLines } from "./line-lock.ts";
import { type Look, lookAt, nameColumns, roomIn } from "./line-look.ts";
import type { Visit } from "./visit.ts";

interface Rest {
  readonly visit: Visit;
  readonly nextAt: number | null;
  readonly emptied: boolean;
  readonly windowStartedAt: number;
  readonly windowStarts: number;
}

/** How soon a line is looked at again that a writer was busy with when it was to sleep. */
const BUSY_LOOK_MS = 100;

/** Puts lines back with the instant of their next look, by what is left in them. */
export async function putBack(
  session: Session,
  visits: readonly Visit[],
  now: number,
): Promise<void> {
  if (visits.length === 0) return;
  const rests = await restsOf(session, visits, now);
  const awake = rests.filter(({ nextAt }) => nextAt !== null && nextAt <= now);
  const tired = rests.filter((rest) => !awake.includes(rest)).map(({ visit }) => visit);
  const asleep = await letSleep(session, tired, now);
  await store(session, [...awake, ...asleep]);
}

/** A line sleeps only while no writer relies on its being due, judged once nobody can any more. */
async function letSleep(session: Session, visits: readonly Visit[], now: number): Promise<Rest[]> {
  if (visits.length === 0) return [];
  const lines = visits.map(({ line }) => line);
  const [own, rests] = await Promise.all([ownLines(session, lines), restsOf(session, visits, now)]);
  return rests.map((rest) => {
    if (own.has(rest.visit.line)) return rest;
    const soon = now + BUSY_LOOK_MS;
    return { ...rest, nextAt: Math.min(rest.nextAt ?? soon, soon), emptied: false };
  });
}

async function restsOf(session: Session, visits: readonly Visit[], now: number): Promise<Rest[]> {
  const looks = await lookAt(
    session,
    visits.map(({ line }) => line),
  );
  return visits.map((visit, place) => restOf(visit, looks[place] as Look, now));
}

function restOf(visit: Visit, look: Look, now: number): Rest {
  const { line, took, asked, passedOver } = visit;
  const { windowStartedAt, windowStarts } = visit.room;
  const running = { ...line.running, windowStartedAt, windowStarts: windowStarts + took };
  const left = roomIn(look, running, now);
  const room = { ...left, count: took + left.count };
  const { emptied } = line.running;
  const { nextReadyAt } = look;
  const next = nextLook({ now, room, asked, took, passedOver, nextReadyAt, emptied });
  return {
    visit,
    ...next,
    windowStartedAt: left.windowStartedAt,
    windowStarts: left.windowStarts,
  };
}

async function store(session: Session, rests: readonly Rest[]): Promise<void> {
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
