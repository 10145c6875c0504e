import { lineKind } from "../../core/model/line.ts";
import { ACCOUNTS_MAX, LINES_MAX, SUSPECT_LOOK_MS } from "../../core/rules/turns.ts";
import { type ClaimedLease, Purse } from "../purse.ts";
import type { ClaimRequest } from "../store.ts";
import { pairKey } from "../working-set.ts";
import { type AccountRooms, roomsOf } from "./account-rooms.ts";
import { admit } from "./admit.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Connections, Session } from "./connection.ts";
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
      const [at, next] = await Promise.all([session.now(), nextOf(session, new Purse(request))]);
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
  { lineAt, suspectAt }: Next,
  lastAccountId: string,
): Promise<{ claimed: Claimed; lastAccountId: string }> {
  const purse = new Purse(request);
  const { now } = request;
  const leased = suspectAt !== null && suspectAt <= now ? await takeSuspect(session, purse) : [];
  if (lineAt === null || lineAt > now) {
    const next = leased.length === 0 ? { lineAt, suspectAt } : await nextOf(session, purse);
    return { claimed: { leased, nextAt: earliest(next, now) }, lastAccountId };
  }
  const accounts = await accountsInTurn(session, lastAccountId, now);
  const lines = await lockLines(session, [...accounts.keys()], purse);
  const rooms = await roomsOf(session, accounts);
  const { leased: served, rests } = await visit(session, lines, rooms, purse);
  const [, next] = await Promise.all([putBack(session, rests), nextOf(session, purse)]);
  return {
    claimed: { leased: [...leased, ...served], nextAt: earliest(next, now) },
    lastAccountId: [...accounts.keys()].at(-1) ?? lastAccountId,
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
  const { visits, nextLines } = await admit(session, queues, now);
  const lines = new Map(
    [...due, ...nextLines]
      .filter(({ line }) => lineKind(line) !== "queue")
      .map((line) => [pairKey(line.accountId, line.line), line]),
  );
  const served = await serve(session, [...lines.values()], rooms, purse);
  const rests = await restsOf(session, [...visits, ...served.visits], now);
  return { leased: served.leased, rests };
}

interface Next {
  readonly lineAt: number | null;
  readonly suspectAt: number | null;
}

/** When something is due that this node could start, were there slots for it. */
async function nextOf(session: Session, purse: Purse): Promise<Next> {
  const values = [purse.retrySlots > 0, purse.fullLines];
  const [row] = await session.query(CLAIM_SQL.next, values);
  return {
    lineAt: row?.["line_at"] as number | null,
    suspectAt: row?.["suspect_at"] as number | null,
  };
}

function earliest({ lineAt, suspectAt }: Next, now: number): number | null {
  const suspect = suspectAt === null ? null : Math.max(suspectAt, now + SUSPECT_LOOK_MS);
  const instants = [lineAt, suspect].filter((at) => at !== null);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** Accounts that have lines due, with their bounds: those after the last one served come first. */
async function accountsInTurn(
  session: Session,
  lastAccountId: string,
  now: number,
): Promise<Map<string, number | null>> {
  const found = await Promise.all([
    session.query(CLAIM_SQL.dueAccounts, [lastAccountId, now, ACCOUNTS_MAX]),
    lastAccountId === "" ? [] : session.query(CLAIM_SQL.dueAccounts, ["", now, ACCOUNTS_MAX]),
  ]);
  const accounts = found
    .flat()
    .map((row) => [row["account_id"] as string, row["parallelism_max"] as number | null] as const);
  return new Map([...new Map(accounts)].slice(0, ACCOUNTS_MAX));
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
