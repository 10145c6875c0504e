import { lineKind } from "../../core/model/line.ts";
import { LINES_MAX, SUSPECT_LOOK_MS } from "../../core/rules/turns.ts";
import { type ClaimedLease, Purse } from "../purse.ts";
import type { ClaimRequest } from "../store.ts";
import { pairKey } from "../working-set.ts";
import { type AccountRooms, roomsOf } from "./account-rooms.ts";
import { admit } from "./admit.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Connections, Session } from "./connection.ts";
import { accountsInTurn, LINES_NAMED, type NextLines, nextLines } from "./due-accounts.ts";
import { type Line, toLine } from "./line-look.ts";
import { putBack, type Rest, restsOf } from "./put-back.ts";
import { serve } from "./serve.ts";
import { takeSuspect } from "./suspects.ts";

export interface Claimed {
  readonly leased: ClaimedLease[];
  readonly nextAt: number | null;
}

/**
 * A claim waits for nobody and holds what it has for a few statements only. Should it ever meet a
 * writer that waits for it in turn, it is the one to give way, soon.
 */
const PATIENCE = { lockTimeoutMs: 100 };

/** Leases what is due, lines and accounts in turn. */
export class ClaimLines {
  readonly #connections: Connections;
  readonly #time: "database" | "given";
  /** Accounts take turns: the last one served. */
  #lastAccountId = "";

  constructor(connections: Connections, time: "database" | "given") {
    this.#connections = connections;
    this.#time = time;
  }

  async claim(request: ClaimRequest): Promise<Claimed> {
    const { claimed, lastAccountId } = await this.#connections.transaction(async (session) => {
      const [at, next] = await Promise.all([
        session.now(),
        nextOf(session, new Purse(request), LINES_NAMED),
      ]);
      const now = this.#time === "database" ? at : request.now;
      return claimOnce(session, { ...request, now }, next, this.#lastAccountId);
    }, PATIENCE);
    this.#lastAccountId = lastAccountId;
    return claimed;
  }
}

async function claimOnce(
  session: Session,
  request: ClaimRequest,
  next: Next,
  lastAccountId: string,
): Promise<{ claimed: Claimed; lastAccountId: string }> {
  const purse = new Purse(request);
  const { now } = request;
  const suspects = isDue(next.suspectAt, now) ? await takeSuspect(session, purse) : [];
  if (!isDue(lineAt(next), now)) {
    const nextAt = earliest(suspects.length === 0 ? next : await nextOf(session, purse, 1), now);
    return { claimed: { leased: suspects, nextAt }, lastAccountId };
  }
  const turn = await accountsInTurn(session, next.lines, lastAccountId, now);
  const [lines, rooms] = await Promise.all([
    lockLines(session, turn.accountIds, purse),
    roomsOf(session, turn.accountIds),
  ]);
  const { leased, rests } = await visit(session, lines, rooms, purse);
  const [, after] = await Promise.all([putBack(session, rests), nextOf(session, purse, 1)]);
  return {
    claimed: { leased: [...suspects, ...leased], nextAt: earliest(after, now) },
    lastAccountId: turn.lastAccountId,
  };
}

/** Serves the lines that are held, and those to which their queues let messages go on. */
async function visit(
  session: Session,
  due: readonly Line[],
  rooms: AccountRooms,
  purse: Purse,
): Promise<{ leased: ClaimedLease[]; rests: Rest[] }> {
  const { now } = purse.request;
  const queues = due.filter(({ line }) => lineKind(line) === "queue");
  const { visits, nextLines: reached } = await admit(session, queues, now);
  const lines = new Map(
    [...due, ...reached]
      .filter(({ line }) => lineKind(line) !== "queue")
      .map((line) => [pairKey(line.accountId, line.line), line]),
  );
  const served = await serve(session, [...lines.values()], rooms, purse);
  const rests = await restsOf(session, [...visits, ...served.visits], now);
  return { leased: served.leased, rests };
}

interface Next {
  readonly lines: NextLines;
  readonly suspectAt: number | null;
}

/** When something is due that this node could start, were there slots for it. */
async function nextOf(session: Session, purse: Purse, count: number): Promise<Next> {
  const [lines, [suspect]] = await Promise.all([
    nextLines(session, purse, count),
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
  const suspect = suspectAt === null ? null : Math.max(suspectAt, now + SUSPECT_LOOK_MS);
  const instants = [lineAt(next), suspect].filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

async function lockLines(
  session: Session,
  accountIds: readonly string[],
  purse: Purse,
): Promise<Line[]> {
  const each = Math.ceil(LINES_MAX / Math.max(1, accountIds.length));
  const { request, retrySlots, fullLines } = purse;
  const values = [accountIds, request.now, retrySlots > 0, fullLines, each];
  return (await session.query(CLAIM_SQL.dueLines, values)).map(toLine);
}
