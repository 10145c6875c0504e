import { lineKind, type LineKey } from "../../../core/model/line/line.ts";
import type { MessageState } from "../../../core/model/message/message.ts";
import {
  type AccountTurns,
  HOPS_MAX,
  inTurn,
  LINES_MAX,
  LINES_NAMED,
  probedInTurn,
  startingWith,
  SUSPECT_VISIT_MS,
} from "../../../core/rules/line/turns.ts";
import type { ClockTime } from "../../../platform/clock.ts";
import { type Claimed, type DueClaim, dueClaim, ClaimBudget } from "../../claim-budget.ts";
import { readFacts } from "../../reads/leased.ts";
import type { ClaimRequest, LeasedMessage } from "../../store.ts";
import { lineKey } from "../../group/row-keys.ts";
import type { Row } from "../../records/rows.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { type Connections, PROMPT } from "../driver/connection.ts";
import { lineArrays } from "../group/table-statements.ts";
import type { Session } from "../driver/conversation.ts";
import { FACTS_BYTES_MAX } from "../group/facts-read-ahead.ts";
import { LowWater } from "../group/low-water.ts";
import type { IdlePoll } from "./idle-poll.ts";
import { type LineVisit, type NamedLine, openLines, toLineKey } from "./lines.ts";
import { isLater, rescheduleLines } from "./reschedule-lines.ts";
import { runReading } from "../reads/run-reading.ts";
import { accountRooms, readMax, serve } from "./serve.ts";
import { takeSuspect } from "./suspects.ts";

/** Called when a transaction begins; the result is called once the server's clock is known. */
export type TimeOf = (given: ClockTime) => (storeAt: number) => ClockTime;

/** What a claim has done, with the messages that it leased. */
interface ClaimedWithFacts extends Claimed {
  readonly leased: readonly MessageState[];
  /** The messages without the entries of their runs; null when they are still to be read. */
  readonly messages: LeasedMessage[] | null;
}

/** What a claim has done, and what the next one needs to know of it. */
interface Outcome {
  readonly claimed: ClaimedWithFacts;
  readonly lastAccountId: string;
  readonly visits: readonly LineVisit[];
  /** When the first line was due. */
  readonly firstAt: number | null;
}

/** Where a claim starts reading. */
interface Start {
  readonly lastAccountId: string;
  readonly claims: number;
  /** Lines that were due before this instant are skipped. */
  readonly linesFrom: number;
  /** The same for the messages of a line. */
  readonly readyFrom: (line: LineKey) => number;
}

/**
 * A claim skips locked rows and holds its own for a few statements only. Should it still wait for a
 * writer that waits for it, the claim gives up first.
 */
const TIMEOUTS = { ...PROMPT, lockTimeoutMs: 100 };
const ALL_LINES = "";
const NOTHING_DUE = { linesPostponed: 0, accountsDue: [] };

/** Leases due messages, taking lines and accounts in turn. */
export class ClaimLines {
  readonly #connections: Connections;
  readonly #idlePoll: IdlePoll;
  readonly #timeOf: TimeOf;
  readonly #lowWater = new LowWater();
  /** The last account served; the next claim starts after it. */
  #lastAccountId = "";
  #claims = 0;
  /** When a line or suspect is due next, as the last claim saw it; null for none. */
  #nextAt: number | null = 0;

  constructor(connections: Connections, idlePoll: IdlePoll, timeOf: TimeOf) {
    this.#connections = connections;
    this.#idlePoll = idlePoll;
    this.#timeOf = timeOf;
  }

  async claim(request: ClaimRequest): Promise<ClaimedWithFacts> {
    const asked = dueClaim(request);
    const claimed = (await this.#pollFirst(request, asked)) ?? (await this.#claim(request, asked));
    this.#nextAt = claimed.nextAt;
    return claimed;
  }

  /**
   * When nothing was due a moment ago, a poll tells whether anything is now; null when a claim must
   * be made. A poll reads all lines, so it says nothing to a node on which some hosts are full.
   */
  async #pollFirst(request: ClaimRequest, asked: DueClaim): Promise<ClaimedWithFacts | null> {
    if (asked.isLikely === true || isDue(this.#nextAt, asked.now)) return null;
    if (!new ClaimBudget(asked).isOpen) return null;
    const timeIn = this.#timeOf(request);
    const linesFrom = this.#lowWater.from(ALL_LINES, asked.now);
    const { lineAt, suspectAt, now: at } = await this.#idlePoll.poll(linesFrom);
    const { now } = dueClaim({ ...request, ...timeIn(at) });
    if (isDue(lineAt, now) || isDue(suspectAt, now)) return null;
    this.#lowWater.note(ALL_LINES, lineAt, 0, asked.now);
    return { leased: [], messages: [], nextAt: earliest(lineAt, suspectAt, now), ...NOTHING_DUE };
  }

  async #claim(request: ClaimRequest, asked: DueClaim): Promise<ClaimedWithFacts> {
    const start: Start = {
      lastAccountId: this.#lastAccountId,
      claims: this.#claims++,
      linesFrom: this.#lowWater.from(ALL_LINES, asked.now),
      readyFrom: (line) => this.#readyFrom(line, asked.now),
    };
    const timeIn = this.#timeOf(request);
    const { claimed, ...outcome } = await this.#connections.transaction(async (session) => {
      const [at, next] = await Promise.all([
        session.now(),
        firstLook(session, new ClaimBudget(asked), start),
      ]);
      return claimOnce(session, dueClaim({ ...request, ...timeIn(at) }), next, start);
    }, TIMEOUTS);
    this.#remember(outcome, asked.now);
    return claimed;
  }

  /** Most messages of a queue were ready when created, so a queue is read from its start. */
  #readyFrom(line: LineKey, now: number): number {
    return lineKind(line.line) === "queue" ? 0 : this.#lowWater.from(lineKey(line), now);
  }

  #remember({ lastAccountId, visits, firstAt }: Omit<Outcome, "claimed">, now: number): void {
    this.#lastAccountId = lastAccountId;
    this.#lowWater.note(ALL_LINES, firstAt, visits.length, now);
    for (const { line, left, took } of visits) {
      this.#lowWater.note(lineKey(line), left.nextReadyAt, took, now);
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
  const firstAt = next.lines[0]?.nextAt ?? null;
  const suspects = isDue(next.suspectAt, now) ? await takeSuspect(session, budget) : [];
  if (!isDue(firstAt, now)) {
    const [messages, after] = await Promise.all([
      factsOf(session, suspects, budget),
      suspects.length === 0 ? next : lastLook(session, budget, start),
    ]);
    const claimed = { leased: suspects, messages, nextAt: nextOf(after, now), ...NOTHING_DUE };
    return { claimed, lastAccountId: start.lastAccountId, visits: [], firstAt };
  }
  const { lines, ...due } = await dueLines(session, next, budget, start);
  const { accountIds, lastAccountId, accountsDue } = due;
  const [opened, rooms] = await Promise.all([
    openLines(session, lines, now, readMax(lines, budget)),
    accountRooms(session, accountIds),
  ]);
  // Another claim may have served a line before this one locked it.
  const stillDue = opened.filter(({ line }) => isDue(line.running.nextAt, now));
  const accounts = { rooms, turns: startingWith(accountIds, start.claims) };
  const { visits, schedules, ...served } = await serve(session, stillDue, accounts, budget);
  const leased = [...suspects, ...served.leased];
  const [, messages, after] = await Promise.all([
    rescheduleLines(session, schedules),
    factsOf(session, leased, budget),
    lastLook(session, budget, start),
  ]);
  const claimed = {
    leased,
    messages,
    nextAt: nextOf(after, now),
    linesPostponed: schedules.filter((schedule) => isLater(schedule, now)).length,
    accountsDue,
  };
  return { claimed, lastAccountId, visits, firstAt };
}

/** Read within the claim, unless they are so many bytes that its locks would be held for long. */
function factsOf(
  session: Session,
  leased: readonly MessageState[],
  { bytesTaken }: ClaimBudget,
): Promise<LeasedMessage[]> | null {
  return bytesTaken <= FACTS_BYTES_MAX ? runReading(session, readFacts(leased)) : null;
}

/** The first lines and the first suspect that this node could serve if it had slots. */
interface Next {
  readonly lines: readonly (LineKey & { readonly nextAt: number })[];
  readonly suspectAt: number | null;
}

async function firstLook(session: Session, budget: ClaimBudget, start: Start): Promise<Next> {
  const [lines, suspects] = await Promise.all([
    session.query(CLAIM_SQL.nextLines, nextValues(budget, start, LINES_NAMED)),
    session.query(CLAIM_SQL.nextSuspect),
  ]);
  return toNext(lines, suspects);
}

/** What the claim leaves behind; the COMMIT is sent with it. */
async function lastLook(session: Session, budget: ClaimBudget, start: Start): Promise<Next> {
  const [lines, suspects] = await Promise.all([
    session.query(CLAIM_SQL.nextLines, nextValues(budget, start, 1)),
    session.last(CLAIM_SQL.nextSuspect),
  ]);
  return toNext(lines, suspects.rows);
}

function nextValues(budget: ClaimBudget, { linesFrom }: Start, count: number): unknown[] {
  const shut = lineArrays(budget.fullAccountLines);
  return [linesFrom, budget.fullLines, ...shut, budget.retrySlots > 0, count];
}

function toNext(lines: readonly Row[], [suspect]: readonly Row[]): Next {
  return {
    lines: lines.map((row) => ({ ...toLineKey(row), nextAt: row["next_at"] as number })),
    suspectAt: suspect?.["ready_at"] as number | null,
  };
}

function isDue(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function nextOf({ lines, suspectAt }: Next, now: number): number | null {
  return earliest(lines[0]?.nextAt ?? null, suspectAt, now);
}

function earliest(lineAt: number | null, suspectAt: number | null, now: number): number | null {
  const suspect = suspectAt === null ? Infinity : Math.max(suspectAt, now + SUSPECT_VISIT_MS);
  const first = Math.min(lineAt ?? Infinity, suspect);
  return first === Infinity ? null : first;
}

/**
 * The lines that this claim visits. Few due lines are all wanted by every claim; of many, each claim
 * takes those that no other one has locked.
 */
async function dueLines(
  session: Session,
  { lines }: Next,
  budget: ClaimBudget,
  start: Start,
): Promise<AccountTurns & { readonly lines: readonly NamedLine[] }> {
  const { now } = budget.request;
  const due = lines.filter(({ nextAt }) => nextAt <= now);
  const turns = await accountsInTurn(session, due, start, now);
  const each = Math.ceil(LINES_MAX / Math.max(1, turns.accountIds.length));
  const byAccount = Map.groupBy(due, ({ accountId }) => accountId);
  const first = turns.accountIds.flatMap((id) => (byAccount.get(id) ?? []).slice(0, each));
  const areAll = due.length < LINES_NAMED && first.length === due.length;
  const found = areAll ? first : await lockDueLines(session, turns, each, budget, start);
  const named = found.map(({ accountId, line }) => ({ accountId, line }));
  return { ...turns, lines: named.map((line) => ({ ...line, readyFrom: start.readyFrom(line) })) };
}

/**
 * Accounts that have lines due, starting after the last one served. A short list of due lines names
 * them all; otherwise a bounded number of accounts is asked in turn, so that none waits behind the
 * many lines of another.
 */
async function accountsInTurn(
  session: Session,
  due: readonly LineKey[],
  { lastAccountId, linesFrom }: Start,
  now: number,
): Promise<AccountTurns> {
  const named = [...new Set(due.map(({ accountId }) => accountId))];
  if (due.length < LINES_NAMED) return inTurn(named, lastAccountId);
  const values = [lastAccountId, linesFrom, now, HOPS_MAX];
  const rows = await session.query(CLAIM_SQL.accountsAfter, values);
  const asked = rows.map((row) => ({
    accountId: row["account_id"] as string,
    isDue: row["due"] === true,
  }));
  return probedInTurn(asked, named, lastAccountId);
}

async function lockDueLines(
  session: Session,
  { accountIds }: AccountTurns,
  each: number,
  { request, retrySlots, fullLines, fullAccountLines }: ClaimBudget,
  { linesFrom }: Start,
): Promise<LineKey[]> {
  const shut = [fullLines, ...lineArrays(fullAccountLines)];
  const values = [accountIds, linesFrom, request.now, ...shut, retrySlots > 0, each];
  return (await session.query(CLAIM_SQL.dueLines, values)).map(toLineKey);
}
