import { lineKind } from "../../../core/model/line/line.ts";
import { LINES_MAX, LINES_NAMED, SUSPECT_VISIT_MS } from "../../../core/rules/line/turns.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { type ClaimedLease, type DueClaim, dueClaim, ClaimBudget } from "../../claim-budget.ts";
import type { ClaimRequest } from "../../store.ts";
import { pairKey } from "../../group/row-keys.ts";
import { type AccountRooms, accountRooms } from "./account-rooms.ts";
import { advanceQueues } from "./advance-queues.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { type Connections, PROMPT } from "../driver/connection.ts";
import type { Session } from "../driver/conversation.ts";
import { accountsInTurn, nextLines, type NextLines } from "./due-accounts.ts";
import { tryLockRoom } from "./line-lock.ts";
import { type Line, nameColumns, toLine } from "./line-state.ts";
import { LowWater } from "../group/low-water.ts";
import { rescheduleLines, scheduleLines } from "./reschedule-lines.ts";
import { serve } from "./serve.ts";
import { takeSuspect } from "./suspects.ts";
import type { LineVisit } from "./line-visit.ts";

export interface Claimed {
  readonly leased: ClaimedLease[];
  readonly nextAt: number | null;
  readonly linesPostponed: number;
}

/**
 * Called when a transaction begins; the result tells the time to use once the server's clock is
 * known.
 */
export type TimeOf = (given: ClockTime) => (storeAt: number) => ClockTime;

/** What a claim has done, and what the next one needs to know of it. */
interface Outcome {
  readonly claimed: Claimed;
  readonly lastAccountId: string;
  readonly visits: readonly LineVisit[];
  /** When the first line was due. */
  readonly firstAt: number | null;
}

/** Where a claim starts reading. */
interface Start {
  readonly lastAccountId: string;
  /** Lines that were due before this instant are skipped. */
  readonly linesFrom: number;
  /** The same for the messages of a line. */
  readonly readyFrom: (line: Line) => number;
}

/**
 * A claim skips locked rows and holds its own for a few statements only. Should it still wait for a
 * writer that waits for it, the claim gives up first.
 */
const TIMEOUTS = { ...PROMPT, lockTimeoutMs: 100 };
const ALL_LINES = "";

/** Leases due messages, taking lines and accounts in turn. */
export class ClaimLines {
  readonly #connections: Connections;
  readonly #timeOf: TimeOf;
  readonly #lowWater = new LowWater();
  /** The last account served; the next claim starts after it. */
  #lastAccountId = "";

  constructor(connections: Connections, timeOf: TimeOf) {
    this.#connections = connections;
    this.#timeOf = timeOf;
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const asked = dueClaim(request);
    const start: Start = {
      lastAccountId: this.#lastAccountId,
      linesFrom: this.#lowWater.from(ALL_LINES, asked.now),
      readyFrom: (line) => this.#readyFrom(line, asked.now),
    };
    const timeIn = this.#timeOf(request);
    const { claimed, ...outcome } = await this.#connections.transaction(async (session) => {
      const [at, next] = await Promise.all([
        session.now(),
        nextOf(session, new ClaimBudget(asked), start, LINES_NAMED),
      ]);
      return claimOnce(session, dueClaim({ ...request, ...timeIn(at) }), next, start);
    }, TIMEOUTS);
    this.#remember(outcome, asked.now);
    return claimed;
  }

  /**
   * Most messages in a queue have been ready since they were created, so a queue is read from its
   * start.
   */
  #readyFrom(line: Line, now: number): number {
    return lineKind(line.line) === "queue" ? 0 : this.#lowWater.from(keyOf(line), now);
  }

  #remember({ lastAccountId, visits, firstAt }: Omit<Outcome, "claimed">, now: number): void {
    this.#lastAccountId = lastAccountId;
    this.#lowWater.note(ALL_LINES, firstAt, visits.length, now);
    for (const { line, left, took } of visits) {
      this.#lowWater.note(keyOf(line), left.nextReadyAt, took, now);
    }
  }
}

async function claimOnce(
  session: Session,
  request: DueClaim,
  next: Next,
  start: Start,
): Promise<Outcome> {
  const budget = new ClaimBudget(request);
  const { now } = request;
  const firstAt = lineAt(next);
  const suspects = isDue(next.suspectAt, now) ? await takeSuspect(session, budget) : [];
  if (!isDue(firstAt, now)) {
    const after = suspects.length === 0 ? next : await nextOf(session, budget, start, 1);
    const claimed = { leased: suspects, nextAt: earliest(after, now), linesPostponed: 0 };
    return { claimed, lastAccountId: start.lastAccountId, visits: [], firstAt };
  }
  const turn = await accountsInTurn(session, next.lines, start, now);
  const [due, rooms] = await Promise.all([
    lockLines(session, turn.accountIds, budget, start),
    accountRooms(session, turn.accountIds),
  ]);
  // A line that a writer is leasing from stays due.
  const lines = [...(await tryLockRoom(session, due))];
  const { leased, visits } = await visit(session, lines, rooms, budget);
  const schedules = await scheduleLines(session, visits, now);
  const [, after] = await Promise.all([
    rescheduleLines(session, schedules),
    nextOf(session, budget, start, 1),
  ]);
  const linesPostponed = schedules.filter(
    ({ nextVisitAt: nextAt }) => nextAt === null || nextAt > now,
  ).length;
  const claimed = {
    leased: [...suspects, ...leased],
    nextAt: earliest(after, now),
    linesPostponed,
  };
  return { claimed, lastAccountId: turn.lastAccountId, visits, firstAt };
}

/** Serves the locked lines, and the lines that received messages from their queues. */
async function visit(
  session: Session,
  due: readonly Line[],
  rooms: AccountRooms,
  budget: ClaimBudget,
): Promise<{ leased: ClaimedLease[]; visits: LineVisit[] }> {
  const queues = due.filter(({ line }) => lineKind(line) === "queue");
  const advanced = await advanceQueues(session, queues, budget.request.now);
  const lines = new Map(
    [...due, ...advanced.nextLines]
      .filter(({ line }) => lineKind(line) !== "queue")
      .map((line) => [keyOf(line), line]),
  );
  const served = await serve(session, [...lines.values()], rooms, budget);
  return { leased: served.leased, visits: [...advanced.visits, ...served.visits] };
}

interface Next {
  readonly lines: NextLines;
  readonly suspectAt: number | null;
}

/** When the next message is due that this node could start if it had slots. */
async function nextOf(
  session: Session,
  budget: ClaimBudget,
  { linesFrom }: Start,
  count: number,
): Promise<Next> {
  const [lines, [suspect]] = await Promise.all([
    nextLines(session, budget, linesFrom, count),
    session.query(CLAIM_SQL.nextSuspect),
  ]);
  return { lines, suspectAt: suspect?.["ready_at"] as number | null };
}

function lineAt({ lines }: Next): number | null {
  return lines.lines[0]?.nextAt ?? null;
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function earliest(next: Next, now: number): number | null {
  const { suspectAt } = next;
  const suspect = suspectAt === null ? null : Math.max(suspectAt, now + SUSPECT_VISIT_MS);
  const instants = [lineAt(next), suspect].filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

async function lockLines(
  session: Session,
  accountIds: readonly string[],
  { request, retrySlots, fullLines, fullAccountLines }: ClaimBudget,
  { linesFrom, readyFrom }: Start,
): Promise<Line[]> {
  const each = Math.ceil(LINES_MAX / Math.max(1, accountIds.length));
  const shut = [fullLines, ...nameColumns(fullAccountLines)];
  const values = [accountIds, linesFrom, request.now, ...shut, retrySlots > 0, each];
  const lines = (await session.query(CLAIM_SQL.dueLines, values)).map(toLine);
  return lines.map((line) => ({ ...line, readyFrom: readyFrom(line) }));
}

const keyOf = ({ accountId, line }: Line): string => pairKey(accountId, line);
