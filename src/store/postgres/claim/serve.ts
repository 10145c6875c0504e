import { type LineKey, lineKind, type Room } from "../../../core/model/line/line.ts";
import type { MessageState } from "../../../core/model/message/message.ts";
import { PASSED_OVER_MAX, shareOf, SlotParts } from "../../../core/rules/line/turns.ts";
import type { ClaimBudget } from "../../claim-budget.ts";
import { lineKey, messageKey } from "../../group/row-keys.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { MESSAGES } from "../../records/message-tables.ts";
import { toMessageState } from "../../records/rows.ts";
import { arraysOf } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import {
  isQueue,
  type LineVisit,
  type NamedLine,
  type OpenLine,
  openLines,
  roomIn,
  stateAfter,
  type Waiting,
} from "./lines.ts";
import {
  addDueLines,
  chosenHeads,
  isDirect,
  leaveQueues,
  lockHeads,
  nextLinesOf,
  openQueue,
  type OpenQueue,
  park,
  visitOfQueue,
} from "./queues.ts";
import { type LineSchedule, schedule, seeAgain } from "./reschedule-lines.ts";

/** How many more attempts each account may start; accounts that are not listed have no limit. */
export type AccountRooms = Map<string, number>;

/** The accounts that a claim serves. */
export interface Accounts {
  readonly rooms: AccountRooms;
  /** In the order in which they are served. */
  readonly turns: readonly string[];
}

export interface Served {
  readonly leased: MessageState[];
  readonly visits: LineVisit[];
  readonly schedules: LineSchedule[];
}

interface Chosen extends OpenLine {
  readonly room: Room;
  readonly messages: readonly Waiting[];
  /** When the first message that was read but not chosen became ready. */
  readonly leftReadyAt: number | null;
  readonly passedOver: boolean;
  /** It used its part of the slots up and wants more. */
  readonly isCut: boolean;
}

/** Leases messages of the locked lines, and of the lines that receive messages from their queues. */
export async function serve(
  session: Session,
  due: readonly OpenLine[],
  accounts: Accounts,
  budget: ClaimBudget,
): Promise<Served> {
  const { now } = budget.request;
  const open = due.filter(({ line }) => isQueue(line)).map((queue) => openQueue(queue, now));
  const [queues, direct] = [open.filter((each) => !isDirect(each)), open.filter(isDirect)];
  const passed = await lockHeads(session, queues);
  const received = passed.nextLines.map((line) => ({ ...line, readyFrom: 0 }));
  const [, opened] = await Promise.all([
    leaveQueues(session, passed.heads, now),
    openLines(session, received, now, readMax(received, budget)),
  ]);
  const others = due.filter(({ line }) => !isQueue(line));
  const lines = new Map([...others, ...opened].map((each) => [lineKey(each.line), each]));
  const all = chooseAll([...lines.values(), ...nextLinesOf(direct)], accounts, budget);
  const chosen = all.filter(({ hasRow }) => hasRow);
  const atOnce = all.filter(({ hasRow }) => !hasRow);
  const leaving = chosenHeads(
    direct,
    atOnce.flatMap(({ messages }) => messages),
  );
  const foreseen = [
    ...passed.visits,
    ...leaving.map((each) => visitOfQueue(each, each.heads.length)),
    ...chosen.map((each) => visitOf(each, each.messages.length, false)),
  ];
  const [parked, leased, leasedHeads, seen] = await Promise.all([
    park(
      session,
      chosen.flatMap((each) => each.waiting),
      now,
    ),
    lease(
      session,
      chosen.flatMap(({ messages }) => messages),
      budget,
    ),
    leaseHeads(session, leaving, budget),
    seeAgain(session, foreseen, now),
    addDueLines(
      session,
      atOnce.flatMap(({ line, leftReadyAt }) => (leftReadyAt === null ? [] : [line])),
      now,
    ),
  ]);
  const took = countBy(leased);
  const tookHeads = countBy(leasedHeads.map(inQueue));
  const visits = [
    ...passed.visits,
    ...leaving.map((each) => visitOfQueue(each, tookHeads(each.queue.line))),
    ...chosen.map((each) => visitOf(each, took(each.line), hasUnparked(each, parked))),
  ];
  const schedules = visits.map((visit) => schedule(visit, seen, now));
  return { leased: [...leasedHeads, ...leased], visits, schedules };
}

/**
 * How many messages of a line are worth reading. When many lines are due, none gets much more than
 * its share; the next claim continues with a line that has more.
 */
export function readMax(
  lines: readonly NamedLine[],
  budget: ClaimBudget,
): (line: NamedLine) => number {
  const served = lines.filter((line) => !isQueue(line));
  const few = served.length <= FEW_LINES;
  const ofAccount = Map.groupBy(served, ({ accountId }) => accountId);
  const part = shareOf(budget.slots, ofAccount.size);
  const hoped = ({ accountId }: NamedLine): number =>
    few ? budget.slots : HOPED_MIN + 2 * shareOf(part, ofAccount.get(accountId)?.length ?? 1);
  const isHostFull = budget.fullLines.length > 0 || budget.fullAccountLines.length > 0;
  return (line) => {
    const wanted = Math.min(budget.roomFor(line), hoped(line));
    if (wanted === 0) return 0;
    const mixed = lineKind(line.line) === "key" && isHostFull;
    return wanted + (few || mixed ? PASSED_OVER_MAX : 0);
  };
}

/** Divides the free slots among accounts and lines. What some leave goes to those wanting more. */
function chooseAll(
  lines: readonly OpenLine[],
  { rooms, turns }: Accounts,
  budget: ClaimBudget,
): Chosen[] {
  const ofAccount = Map.groupBy(lines, ({ line }) => line.accountId);
  const inTurn = turns.flatMap((accountId) => ofAccount.get(accountId) ?? []);
  const parts = new SlotParts(inTurn.map(({ line }) => line));
  const first = inTurn.map((open) => {
    const part = parts.next(open.line, budget.slotsFor(open.line.line), budget.slots);
    return choose(open, [], part, rooms, budget);
  });
  if (budget.slots === 0) return first;
  let cut = first.filter(({ isCut }) => isCut).length;
  return first.map((chosen) => {
    if (!chosen.isCut) return chosen;
    const part = shareOf(budget.slotsFor(chosen.line.line), cut--);
    return choose(chosen, chosen.messages, part, rooms, budget);
  });
}

/** Chooses more messages of a line. Messages of paused queues are not leased. */
function choose(
  open: OpenLine,
  before: readonly Waiting[],
  part: number,
  rooms: AccountRooms,
  budget: ClaimBudget,
): Chosen {
  const { line, state } = open;
  const room = roomIn(state, line.running, budget.request.now);
  const accountRoom = rooms.get(line.accountId) ?? Infinity;
  const more = Math.min(part, accountRoom, budget.roomFor(line));
  const asked = Math.min(room.count, before.length + more);
  const messages = [...before];
  const isBefore = new Set(before);
  let passedOver = accountRoom === 0;
  let leftReadyAt: number | null = null;
  for (const message of open.waiting) {
    if (message.pausedQueue !== null || isBefore.has(message)) continue;
    const isAsked = messages.length < asked;
    if (isAsked && budget.affords(message)) {
      budget.spend(line.line, message);
      messages.push(message);
      continue;
    }
    leftReadyAt ??= message.readyAt;
    if (!isAsked) break;
    passedOver = true;
  }
  const took = messages.length - before.length;
  rooms.set(line.accountId, accountRoom - took);
  const isCut = took === part && leftReadyAt !== null;
  return { ...open, room, messages, leftReadyAt, passedOver, isCut };
}

/** Whether a message of a paused queue is still in its line, since another transaction locked it. */
function hasUnparked({ waiting }: Chosen, parked: ReadonlySet<string>): boolean {
  return waiting.some(
    (message) => message.pausedQueue !== null && !parked.has(messageKey(message)),
  );
}

function visitOf(chosen: Chosen, took: number, isHeldUp: boolean): LineVisit {
  const { line, state, room, messages, leftReadyAt } = chosen;
  const passedOver = chosen.passedOver || isHeldUp || took < messages.length;
  return { line, room, took, passedOver, left: stateAfter(state, took, leftReadyAt) };
}

/** Leases messages that no other transaction has locked, and logs that they are under way. */
export async function lease(
  session: Session,
  messages: readonly Waiting[],
  { request }: ClaimBudget,
): Promise<MessageState[]> {
  if (messages.length === 0) return [];
  const keys = arraysOf(MESSAGES.key, messages);
  const { nodeId, now, shownAt } = request;
  const rows = await session.query(CLAIM_SQL.lease, [...keys, nodeId, now, shownAt]);
  return rows.map(toMessageState);
}

/** The same for the first messages of queues, which leave them. */
async function leaseHeads(
  session: Session,
  queues: readonly OpenQueue[],
  { request }: ClaimBudget,
): Promise<MessageState[]> {
  const heads = queues.flatMap((queue) => queue.heads);
  if (heads.length === 0) return [];
  const turns = queues.flatMap((queue) => queue.heads.map((_, index) => index + 1));
  const { nodeId, now, shownAt } = request;
  const values = [...arraysOf(MESSAGES.key, heads), nodeId, now, shownAt, turns];
  return (await session.query(CLAIM_SQL.leaseHeads, values)).map(toMessageState);
}

/**
 * Counts the attempts under way of accounts with a limit and locks their rows, so that no other
 * claim counts them at the same time. An account that another claim has locked, or that is halted,
 * has no free capacity for this one.
 */
export async function accountRooms(
  session: Session,
  accountIds: readonly string[],
): Promise<AccountRooms> {
  const [bounded, counts] = await Promise.all([
    session.query(CLAIM_SQL.lockAccounts, [accountIds]),
    session.query(CLAIM_SQL.countCapped, [accountIds]),
  ]);
  const held = new Map(counts.map((row) => [row["account_id"], row["held"] as number]));
  return new Map(
    bounded.map((row) => {
      const max = (row["parallelism_max"] ?? 0) as number;
      return [row["account_id"] as string, Math.max(0, max - (held.get(row["account_id"]) ?? 0))];
    }),
  );
}

const FEW_LINES = 4;
const HOPED_MIN = 2;

function countBy(lines: readonly LineKey[]): (line: LineKey) => number {
  const found = Map.groupBy(lines, lineKey);
  return (line) => found.get(lineKey(line))?.length ?? 0;
}

function inQueue({ accountId, queue }: MessageState): LineKey {
  return { accountId, line: queue! };
}
