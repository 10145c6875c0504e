import type { StatementSync } from "node:sqlite";

import { lineKind } from "../../../core/model/line/line.ts";
import {
  type AccountTurns,
  probedInTurn,
  HOPS_MAX,
  inTurn,
  LINES_MAX,
  LINES_NAMED,
  PASSED_OVER_MAX,
  shareOf,
} from "../../../core/rules/line/turns.ts";
import { type ClaimedLease, dueClaim, ClaimBudget } from "../../claim-budget.ts";
import type { Row } from "../../records/rows.ts";
import type { ClaimRequest } from "../../store.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import { type Line, Lines, toLine } from "./lines.ts";
import type { Write } from "../group/write.ts";

export interface Claimed {
  readonly leased: ClaimedLease[];
  readonly nextAt: number | null;
  readonly linesPostponed: number;
}

/** Leases what is due, lines and accounts in turn. Runs inside the writer's transaction. */
export class ClaimLines {
  readonly #write: Write;
  readonly #lines: Lines;
  readonly #sql: Readonly<Record<keyof typeof CLAIM_SQL, StatementSync>>;
  /** Accounts take turns: the last one served. */
  #lastAccountId = "";

  constructor(database: Database, write: Write) {
    this.#write = write;
    this.#lines = new Lines(database);
    this.#sql = prepareAll(database, CLAIM_SQL);
  }

  claim(request: ClaimRequest): Claimed {
    const budget = new ClaimBudget(dueClaim(request));
    const leased: ClaimedLease[] = [];
    this.#lines.begin();
    this.#takeSuspect(budget, leased);
    // What a queue admits stands in another line, which a second round finds due.
    if (this.#round(budget, leased) && budget.slots > 0) this.#round(budget, leased);
    return { leased, nextAt: this.#nextAt(budget), linesPostponed: this.#lines.postponed };
  }

  /** Serves the lines that are due once. True when a queue has admitted something. */
  #round(budget: ClaimBudget, leased: ClaimedLease[]): boolean {
    const due = this.#dueLines(budget);
    const queues = due.filter(({ line }) => lineKind(line) === "queue");
    const lines = due.filter(({ line }) => lineKind(line) !== "queue");
    let admitted = false;
    for (const queue of queues) admitted = this.#admit(queue, budget.request.now) || admitted;
    lines.forEach((line, index) => this.#serve(line, lines.length - index, budget, leased));
    return admitted;
  }

  #dueLines(budget: ClaimBudget): Line[] {
    const { now } = budget.request;
    const shut = budget.fullLines.length;
    const shutOfAccounts = Map.groupBy(budget.fullOwnLines, ({ accountId }) => accountId);
    const { accountIds, lastAccountId } = this.#accountsInTurn(budget);
    this.#lastAccountId = lastAccountId;
    const each = Math.ceil(LINES_MAX / Math.max(1, accountIds.length));
    const found: Line[] = [];
    for (const accountId of accountIds) {
      const retries = budget.retrySlots > 0 ? 1 : 0;
      const count = each + shut + (shutOfAccounts.get(accountId)?.length ?? 0);
      const rows = this.#sql.dueLines.all(accountId, now, retries, count);
      const open = rows.map((row) => toLine(row)).filter((line) => !budget.isShut(line));
      found.push(...open.slice(0, each));
    }
    return found;
  }

  /** When few lines are due they name the accounts; else a bounded number of those is asked. */
  #accountsInTurn(budget: ClaimBudget): AccountTurns {
    const { now } = budget.request;
    const named = new Set<string>();
    let lines = 0;
    for (const row of this.#sql.nextLines.iterate()) {
      if ((row["next_at"] as number) > now || lines === LINES_NAMED) break;
      if (budget.isShut(ownLineOf(row))) continue;
      named.add(row["account_id"] as string);
      lines += 1;
    }
    if (lines < LINES_NAMED) return inTurn([...named], this.#lastAccountId);
    const rows = this.#sql.accountsAfter.all(this.#lastAccountId, now, HOPS_MAX);
    const asked = rows.map((row) => ({
      accountId: row["account_id"] as string,
      isDue: row["due"] === 1,
    }));
    return probedInTurn(asked, [...named]);
  }

  /** A queue lets its first messages by position go on to their next line, as slots come free. */
  #admit(queue: Line, now: number): boolean {
    const { accountId, line } = queue;
    const room = this.#lines.room(queue, now);
    const asked = Math.min(room.count, LINES_MAX);
    const rows = asked > 0 ? this.#sql.queueHead.all(accountId, line, now, asked) : [];
    for (const row of rows) {
      const messageId = row["message_id"] as string;
      const next = row["line_after"] as string;
      this.#sql.admit.run(now, accountId, messageId);
      this.#write.lineDue({ accountId, line: next, at: now }, now);
    }
    const nextReadyAt = this.#lines.nextReadyAt(queue);
    const took = rows.length;
    this.#lines.putBack(queue, { now, room, asked, took, passedOver: false, nextReadyAt });
    return rows.length > 0;
  }

  #serve(line: Line, linesLeft: number, budget: ClaimBudget, leased: ClaimedLease[]): void {
    const { now } = budget.request;
    const { accountId, line: name } = line;
    const room = this.#lines.room(line, now);
    const accountRoom = this.#lines.accountRoom(accountId);
    const share = shareOf(budget.slotsFor(name), linesLeft);
    const asked = Math.min(room.count, share, accountRoom, budget.roomFor(line));
    const rows =
      asked > 0 ? this.#sql.ready.all(accountId, name, now, asked + PASSED_OVER_MAX) : [];
    let took = 0;
    let passedOver = accountRoom === 0;
    for (const row of rows) {
      if (took === asked) break;
      if (this.#park(row, now)) continue;
      if (budget.affords(costOf(row))) {
        leased.push(this.#lease(row, name, budget));
        took += 1;
      } else passedOver = true;
    }
    const nextReadyAt = this.#lines.nextReadyAt(line);
    this.#lines.putBack(line, { now, room, asked, took, passedOver, nextReadyAt });
  }

  /** Suspects run one at a time in the whole cluster, so that one that kills is found alone. */
  #takeSuspect(budget: ClaimBudget, leased: ClaimedLease[]): void {
    const { now } = budget.request;
    if (budget.slots === 0 || this.#sql.activeSuspect.get() !== undefined) return;
    for (const row of this.#sql.waitingSuspects.all(now)) {
      const line = this.#lines.find(row["account_id"] as string, row["line"] as string);
      if (this.#park(row, now)) continue;
      const room = this.#lines.room(line, now);
      if (room.count === 0 || !budget.affords(costOf(row))) continue;
      if (this.#lines.accountRoom(line.accountId) === 0) continue;
      leased.push(this.#lease(row, line.line, budget));
      this.#lines.keep(line, line.running, room, 1);
      return;
    }
  }

  /**
   * A message whose queue is paused goes back into it, where it holds up nobody. It keeps its place,
   * and comes in again when the queue is resumed. True when it has gone.
   */
  #park(row: Row, now: number): boolean {
    const messageId = row["message_id"] as string;
    const queue = row["queue"] as string | null;
    if (queue === null || row["root_id"] !== messageId) return false;
    const accountId = row["account_id"] as string;
    if (this.#sql.isPaused.get(accountId, queue) === undefined) return false;
    this.#sql.park.run(accountId, messageId);
    this.#write.lineDue({ accountId, line: queue, at: now }, now);
    return true;
  }

  #lease(row: Row, line: string, budget: ClaimBudget): ClaimedLease {
    const { nodeId, now, shownAt } = budget.request;
    const accountId = row["account_id"] as string;
    const messageId = row["message_id"] as string;
    const attempts = row["attempts"] as number;
    const capped = this.#lines.isCapped(accountId) ? 1 : 0;
    this.#sql.lease.run(nodeId, now, capped, accountId, messageId);
    const entry = {
      accountId,
      messageId,
      at: shownAt,
      state: "ACTIVE",
      attempt: attempts + 1,
    } as const;
    this.#write.step({ entry, next: null, attempt: null });
    budget.spend(line, costOf(row));
    const fence = (row["fence"] as number) + 1;
    return { accountId, messageId, fence, host: row["host"] as string, attempts };
  }

  /** When something is due that this node could start, were there slots for it. */
  #nextAt(budget: ClaimBudget): number | null {
    const { now } = budget.request;
    const line = this.#nextLine(budget);
    const suspect = this.#sql.nextSuspect.get(now)?.["next_at"] as number | null | undefined;
    const instants = [line, suspect].filter((at) => at !== null && at !== undefined);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  /** Every account may have lines to a host that is full, so that their number says nothing. */
  #nextLine(budget: ClaimBudget): number | null {
    for (const row of this.#sql.nextLines.iterate()) {
      if (!budget.isShut(ownLineOf(row))) return row["next_at"] as number;
    }
    return null;
  }
}

function ownLineOf(row: Row): { accountId: string; line: string } {
  return { accountId: row["account_id"] as string, line: row["line"] as string };
}

function costOf(row: Row): { accountId: string; host: string; bytes: number } {
  const accountId = row["account_id"] as string;
  return { accountId, host: row["host"] as string, bytes: row["bytes"] as number };
}
