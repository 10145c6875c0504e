import { lineKind, type Room } from "../../../core/model/line/line.ts";
import { PASSED_OVER_MAX, shareOf } from "../../../core/rules/line/turns.ts";
import type { ClaimedLease, ClaimBudget } from "../../claim-budget.ts";
import { pairKey } from "../../group/row-keys.ts";
import type { AccountRooms } from "./account-rooms.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Session } from "../driver/conversation.ts";
import { type Candidate, lease, type LeasedInLine } from "./lease.ts";
import { park } from "./park.ts";
import {
  type Line,
  stateAfter,
  type LineState,
  readLineStates,
  nameColumns,
  roomIn,
} from "./line-state.ts";
import type { LineVisit } from "./line-visit.ts";

interface Serving {
  readonly line: Line;
  readonly readMax: number;
  readonly candidates: Offered[];
  /** A message of a paused queue could not be moved back into it. */
  readonly isHeldUp: boolean;
}

/** A message that a line offers, and when it became ready. */
interface Offered extends Candidate {
  readonly readyAt: number;
}

interface Chosen {
  readonly line: Line;
  readonly state: LineState;
  readonly room: Room;
  readonly asked: number;
  readonly messages: readonly Candidate[];
  /** When the first message that was read but not chosen became ready. */
  readonly leftReadyAt: number | null;
  readonly passedOver: boolean;
}

/** Divides the free slots among the lines in turn, each getting an equal share of what is left. */
export async function serve(
  session: Session,
  lines: readonly Line[],
  rooms: AccountRooms,
  budget: ClaimBudget,
): Promise<{ leased: ClaimedLease[]; visits: LineVisit[] }> {
  const { now } = budget.request;
  const servings = lines.map((line): Serving => {
    const readMax = readMaxOf(line, lines.length, budget);
    return { line, readMax, candidates: [], isHeldUp: false };
  });
  const [states] = await Promise.all([
    readLineStates(session, lines),
    readCandidates(session, servings, now),
  ]);
  const parked = await park(
    session,
    servings.flatMap(({ candidates }) => candidates),
    now,
  );
  const chosen = servings.map((serving, index) => {
    const open = withoutPaused(serving, parked);
    return choose(open, states[index] as LineState, lines.length - index, rooms, budget);
  });
  const wanted = chosen.flatMap(({ messages }) => messages);
  const leased = await lease(session, wanted, budget);
  const took = countByLine(leased);
  const visits = chosen.map((each) => visitOf(each, took));
  return { leased, visits };
}

/**
 * How many messages of a line are worth reading. When many lines are due, none gets much more than
 * its share; the next claim continues with a line that has more.
 */
function readMaxOf(line: Line, lines: number, budget: ClaimBudget): number {
  const few = lines <= FEW_LINES;
  const hoped = few ? budget.slots : HOPED_MIN + 2 * shareOf(budget.slots, lines);
  const wanted = Math.min(budget.roomFor(line), hoped);
  if (wanted === 0) return 0;
  const isHostFull = budget.fullLines.length > 0 || budget.fullAccountLines.length > 0;
  const mixed = lineKind(line.line) === "key" && isHostFull;
  return wanted + (few || mixed ? PASSED_OVER_MAX : 0);
}

async function readCandidates(
  session: Session,
  servings: readonly Serving[],
  now: number,
): Promise<void> {
  const reading = servings.filter(({ readMax }) => readMax > 0);
  if (reading.length === 0) return;
  const names = nameColumns(reading.map(({ line }) => line));
  const from = reading.map(({ line }) => line.readyFrom);
  const counts = reading.map(({ readMax }) => readMax);
  for (const row of await session.query(CLAIM_SQL.ready, [...names, from, counts, now])) {
    const serving = reading[(row["nth"] as number) - 1];
    serving?.candidates.push({
      accountId: serving.line.accountId,
      messageId: row["message_id"] as string,
      host: row["host"] as string,
      bytes: row["bytes"] as number,
      readyAt: row["ready_at"] as number,
      pausedQueue: row["paused_queue"] as string | null,
    });
  }
}

/** Messages of paused queues are not leased. */
function withoutPaused(serving: Serving, parked: ReadonlySet<string>): Serving {
  const held = serving.candidates.filter(({ pausedQueue }) => pausedQueue !== null);
  if (held.length === 0) return serving;
  return {
    ...serving,
    candidates: serving.candidates.filter(({ pausedQueue }) => pausedQueue === null),
    isHeldUp: held.some((each) => !parked.has(pairKey(each.accountId, each.messageId))),
  };
}

function choose(
  { line, readMax, candidates, isHeldUp }: Serving,
  state: LineState,
  linesLeft: number,
  rooms: AccountRooms,
  budget: ClaimBudget,
): Chosen {
  const room = roomIn(state, line.running, budget.request.now);
  const accountRoom = rooms.get(line.accountId) ?? Infinity;
  const share = shareOf(budget.slotsFor(line.line), linesLeft);
  const asked = Math.min(room.count, share, accountRoom, budget.roomFor(line), readMax);
  const messages: Candidate[] = [];
  let passedOver = accountRoom === 0 || isHeldUp;
  let leftReadyAt: number | null = null;
  for (const candidate of candidates) {
    const isAsked = messages.length < asked;
    if (isAsked && budget.affords(candidate)) {
      budget.spend(line.line, candidate);
      messages.push(candidate);
      continue;
    }
    leftReadyAt ??= candidate.readyAt;
    if (!isAsked) break;
    passedOver = true;
  }
  rooms.set(line.accountId, accountRoom - messages.length);
  return { line, state, room, asked, messages, leftReadyAt, passedOver };
}

function countByLine(leased: readonly LeasedInLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { accountId, line } of leased) {
    const key = pairKey(accountId, line);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function visitOf(chosen: Chosen, counts: ReadonlyMap<string, number>): LineVisit {
  const { line, state, room, asked, messages, leftReadyAt } = chosen;
  const took = counts.get(pairKey(line.accountId, line.line)) ?? 0;
  const left = took === 0 ? state : stateAfter(state, took, leftReadyAt);
  const passedOver = chosen.passedOver || took < messages.length;
  return { line, room, asked, took, passedOver, left };
}

const FEW_LINES = 4;
const HOPED_MIN = 2;
