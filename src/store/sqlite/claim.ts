import type { StatementSync } from "node:sqlite";

import {
  type LineLimits,
  type LineRunning,
  lineKind,
  nextLook,
  QUEUE_DEFAULT,
  type Room,
  roomOf,
  UNLIMITED,
} from "../../core/model/line.ts";
import { ACCOUNTS_MAX, LINES_MAX, PASSED_OVER_MAX, shareOf } from "../../core/rules/turns.ts";
import { type Row, toLineLimits, toLineRunning } from "../rows.ts";
import type { ClaimRequest } from "../store.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import type { Database } from "./connection.ts";
import type { Write } from "./write.ts";

export interface ClaimedLease {
  readonly accountId: string;
  readonly messageId: string;
  readonly fence: number;
  readonly host: string;
  readonly attempts: number;
}

/** What is left of a claim's allowance while it goes from line to line. */
interface Purse {
  readonly request: ClaimRequest;
  readonly fullHosts: ReadonlySet<string>;
  readonly leased: ClaimedLease[];
  slots: number;
  retrySlots: number;
  bytes: number;
  /** Free slots by host, less those this claim has used. */
  readonly hostSlots: Map<string, number>;
}

interface Line {
  readonly accountId: string;
  readonly line: string;
  readonly running: LineRunning;
}

/** Leases what is due. Runs inside the writer's transaction. */
export class ClaimLines {
  readonly #write: Write;
  readonly #sql: Readonly<Record<keyof typeof CLAIM_SQL, StatementSync>>;
  /** Accounts take turns: the last one served. */
  #lastAccountId = "";

  constructor(database: Database, write: Write) {
    this.#write = write;
    const prepared = Object.entries(CLAIM_SQL).map(([name, sql]) => [name, database.prepare(sql)]);
    this.#sql = Object.fromEntries(prepared) as Record<keyof typeof CLAIM_SQL, StatementSync>;
  }

  claim(request: ClaimRequest): { leased: ClaimedLease[]; nextAt: number | null } {
    const purse: Purse = {
      request,
      fullHosts: new Set(request.fullHosts),
      leased: [],
      slots: request.slots,
      retrySlots: request.retrySlots,
      bytes: request.bytesMax,
      hostSlots: new Map(Object.entries(request.hostSlots ?? {})),
    };
    this.#takeSuspect(purse);
    // What a queue admits stands in another line, which a second round finds due.
    if (this.#round(purse) && purse.slots > 0) this.#round(purse);
    return { leased: purse.leased, nextAt: this.#nextAt(purse) };
  }

  /** Serves the lines that are due once. True when a queue has admitted something. */
  #round(purse: Purse): boolean {
    const due = this.#dueLines(purse);
    const queues = due.filter(({ line }) => lineKind(line) === "queue");
    const lines = due.filter(({ line }) => lineKind(line) !== "queue");
    let admitted = false;
    for (const queue of queues) admitted = this.#admit(queue, purse.request.now) || admitted;
    lines.forEach((line, place) => this.#serve(line, lines.length - place, purse));
    return admitted;
  }

  #dueLines(purse: Purse): Line[] {
    const { now } = purse.request;
    const accounts = this.#accountsInTurn(now);
    const each = Math.ceil(LINES_MAX / Math.max(1, accounts.length));
    const found: Line[] = [];
    for (const accountId of accounts) {
      const retries = purse.retrySlots > 0 ? 1 : 0;
      const rows = this.#sql.dueLines.all(accountId, now, retries, each + 2 * purse.fullHosts.size);
      const open = rows.map((row) => toLine(row)).filter(({ line }) => !isFull(line, purse));
      found.push(...open.slice(0, each));
      this.#lastAccountId = accountId;
    }
    return found;
  }

  #accountsInTurn(now: number): string[] {
    const after = this.#sql.dueAccounts.all(this.#lastAccountId, now, ACCOUNTS_MAX);
    const before =
      after.length < ACCOUNTS_MAX ? this.#sql.dueAccounts.all("", now, ACCOUNTS_MAX) : [];
    const names = [...after, ...before].map((row) => row["account_id"] as string);
    return [...new Set(names)].slice(0, ACCOUNTS_MAX);
  }

  /** A queue lets its first messages by position go on to their next line, as slots come free. */
  #admit({ accountId, line, running }: Line, now: number): boolean {
    const limits = this.#limits(accountId, line, QUEUE_DEFAULT);
    const held = this.#sql.countHolds.get(accountId, line)?.["held"] as number;
    const room = roomOf(limits, running, held, now);
    const asked = Math.min(room.count, LINES_MAX);
    const rows = asked > 0 ? this.#sql.queueHead.all(accountId, line, now, asked) : [];
    for (const row of rows) {
      const messageId = row["message_id"] as string;
      const next = row["line_after"] as string;
      this.#sql.admit.run(next, accountId, messageId);
      this.#sql.hold.run(accountId, messageId, line);
      this.#write.lineDue({ accountId, line: next, at: now });
    }
    const left = this.#sql.nextReady.get(accountId, line);
    this.#putBack({ accountId, line, running }, room, {
      now,
      asked,
      took: rows.length,
      passedOver: false,
      nextReadyAt: (left?.["ready_at"] as number | undefined) ?? null,
    });
    return rows.length > 0;
  }

  #serve(line: Line, linesLeft: number, purse: Purse): void {
    const { now } = purse.request;
    const room = this.#room(line, now);
    const isRetry = lineKind(line.line) === "retry";
    const slots = isRetry ? Math.min(purse.slots, purse.retrySlots) : purse.slots;
    const { accountId, line: name } = line;
    const accountRoom = this.#accountRoom(accountId);
    const asked = Math.min(
      room.count,
      shareOf(slots, linesLeft),
      accountRoom,
      lineKind(name) === "key" ? Infinity : hostRoom(name.slice(2), purse),
    );
    const rows =
      asked > 0 ? this.#sql.ready.all(accountId, name, now, asked + PASSED_OVER_MAX) : [];
    let took = 0;
    let passedOver = accountRoom === 0;
    for (const row of rows) {
      if (took === asked) break;
      if (!affordable(row, purse)) passedOver = true;
      else {
        this.#lease(row, purse);
        took += 1;
      }
    }
    if (isRetry) purse.retrySlots -= took;
    const left = this.#sql.nextReady.get(accountId, name);
    this.#putBack(line, room, {
      now,
      asked,
      took,
      passedOver,
      nextReadyAt: (left?.["ready_at"] as number | undefined) ?? null,
    });
  }

  #room({ accountId, line, running }: Line, now: number): Room {
    if (lineKind(line) !== "key") return roomOf(UNLIMITED, running, 0, now);
    const limits = this.#limits(accountId, line, UNLIMITED);
    const held = this.#sql.countKeyed.get(accountId, line)?.["held"] as number;
    return roomOf(limits, running, held, now);
  }

  #accountRoom(accountId: string): number {
    const max = this.#sql.accountMax.get(accountId)?.["parallelism_max"] as
      number | null | undefined;
    if (max === null || max === undefined) return Infinity;
    return Math.max(0, max - (this.#sql.countCapped.get(accountId)?.["held"] as number));
  }

  /** Suspects run one at a time in the whole cluster, so that one that kills is found alone. */
  #takeSuspect(purse: Purse): void {
    const { now } = purse.request;
    if (purse.slots === 0 || this.#sql.activeSuspect.get() !== undefined) return;
    for (const row of this.#sql.waitingSuspects.all(now)) {
      const accountId = row["account_id"] as string;
      const line = row["line"] as string;
      const found = this.#sql.line.get(accountId, line);
      const running = found ? toLineRunning(found) : IDLE;
      const room = this.#room({ accountId, line, running }, now);
      if (room.count > 0 && affordable(row, purse) && this.#accountRoom(accountId) > 0) {
        this.#lease(row, purse);
        this.#store(accountId, line, running, room, 1);
        return;
      }
    }
  }

  #lease(row: Row, purse: Purse): void {
    const { nodeId, now } = purse.request;
    const accountId = row["account_id"] as string;
    const messageId = row["message_id"] as string;
    const attempts = row["attempts"] as number;
    this.#sql.lease.run(nodeId, now, accountId, messageId);
    this.#write.entry({ accountId, messageId, at: now, state: "ACTIVE", attempt: attempts + 1 });
    const fence = (row["fence"] as number) + 1;
    const host = row["host"] as string;
    purse.leased.push({ accountId, messageId, fence, host, attempts });
    purse.slots -= 1;
    purse.bytes -= row["bytes"] as number;
    purse.hostSlots.set(host, hostRoom(host, purse) - 1);
  }

  #putBack(
    line: Line,
    room: Room,
    look: Omit<Parameters<typeof nextLook>[0], "room" | "emptied">,
  ): void {
    const { accountId, line: name, running } = line;
    const { nextAt, emptied } = nextLook({ ...look, room, emptied: running.emptied });
    if (nextAt === null && emptied && lineKind(name) !== "key") {
      this.#sql.forgetLine.run(accountId, name);
      return;
    }
    this.#store(accountId, name, { nextAt, emptied }, room, look.took);
  }

  #store(
    accountId: string,
    line: string,
    { nextAt, emptied }: Pick<LineRunning, "nextAt" | "emptied">,
    room: Room,
    started: number,
  ): void {
    const starts = room.windowStarts + started;
    this.#sql.putBack.run(nextAt, room.windowStartedAt, starts, emptied ? 1 : 0, accountId, line);
  }

  #limits(accountId: string, line: string, otherwise: LineLimits): LineLimits {
    const row = this.#sql.limits.get(accountId, line);
    return row ? toLineLimits(row) : otherwise;
  }

  /** When something is due that this node could start, were there slots for it. */
  #nextAt(purse: Purse): number | null {
    const { now } = purse.request;
    const line = this.#nextLine(purse);
    const suspect = this.#sql.nextSuspect.get(now)?.["next_at"] as number | null | undefined;
    const instants = [line, suspect].filter((at) => at !== null && at !== undefined);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  /** Every account may have lines to a host that is full, so that their number says nothing. */
  #nextLine(purse: Purse): number | null {
    for (const row of this.#sql.nextLines.iterate()) {
      const { line, running } = toLine(row);
      if (!isFull(line, purse)) return running.nextAt;
    }
    return null;
  }
}

const IDLE: LineRunning = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: false };

function toLine(row: Row): Line {
  return {
    accountId: row["account_id"] as string,
    line: row["line"] as string,
    running: toLineRunning(row),
  };
}

function isFull(line: string, purse: Purse): boolean {
  const kind = lineKind(line);
  if (kind === "retry" && purse.retrySlots === 0) return true;
  return (kind === "host" || kind === "retry") && hostRoom(line.slice(2), purse) === 0;
}

function hostRoom(host: string, { request, hostSlots, fullHosts }: Purse): number {
  if (fullHosts.has(host)) return 0;
  return hostSlots.get(host) ?? request.slotsPerHost ?? Infinity;
}

/** One message is always allowed, however large, when nothing else is on its way into memory. */
function affordable(row: Row, purse: Purse): boolean {
  const host = row["host"] as string;
  if (purse.slots === 0 || hostRoom(host, purse) === 0) return false;
  return (row["bytes"] as number) <= purse.bytes || purse.bytes === purse.request.bytesMax;
}
