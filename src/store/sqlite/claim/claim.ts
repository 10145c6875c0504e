import type { StatementSync } from "node:sqlite";
import { lineKind } from "../../../core/model/line/line.ts";
import {
  type AccountTurns,
  probedInTurn,
  HOPS_MAX,
  SHUT_LINES_MAX,
  inTurn,
  LINES_MAX,
  LINES_NAMED,
  PASSED_OVER_MAX,
  SlotParts,
  startingWith,
} from "../../../core/rules/line/turns.ts";
import { type Claimed, dueClaim, ClaimBudget } from "../../claim-budget.ts";
import type { GrantedLease } from "../../../core/model/message/message.ts";
import type { ClaimRequest } from "../../store.ts";
import type { Row } from "../../records/rows.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { type Database, prepareAll } from "../thread/connection.ts";
import { type Line, Lines, toLine } from "./lines.ts";
import { NO_ATTEMPT } from "../../records/log-step.ts";
import type { Write } from "../group/write.ts";

interface Round {
  /** A second round may find more. */
  readonly wantsMore: boolean;
  readonly accountsDue: readonly string[] | null;
}

/** Leases due messages, taking lines and accounts in turn. Runs inside the writer's transaction. */
export class ClaimLines {
  readonly #write: Write;
  readonly #lines: Lines;
  readonly #sql: Readonly<Record<keyof typeof CLAIM_SQL, StatementSync>>;
  /** The last account served; the next claim starts after it. */
  #lastAccountId = "";
  #claims = 0;

  constructor(database: Database, write: Write) {
    this.#write = write;
    this.#lines = new Lines(database);
    this.#sql = prepareAll(database, CLAIM_SQL);
  }

  claim(request: ClaimRequest): Claimed {
    const budget = new ClaimBudget(dueClaim(request));
    const leased: GrantedLease[] = [];
    this.#lines.begin();
    this.#claims += 1;
    this.#takeSuspect(budget, leased);
    // Messages that left a queue are in another line, which a second round finds due; and some
    // accounts want the slots that others have left.
    const { wantsMore, accountsDue } = this.#round(budget, leased);
    if (wantsMore && budget.slots > 0) this.#round(budget, leased);
    const linesPostponed = this.#lines.postponed;
    return { leased, nextAt: this.#nextAt(budget), linesPostponed, accountsDue };
  }

  #round(budget: ClaimBudget, leased: GrantedLease[]): Round {
    const turns = this.#accountsInTurn(budget);
    const due = this.#dueLines(budget, turns);
    const queues = due.filter(({ line }) => lineKind(line) === "queue");
    const lines = due.filter(({ line }) => lineKind(line) !== "queue");
    let advanced = false;
    for (const queue of queues)
      advanced = this.#advanceQueue(queue, budget.request.now) || advanced;
    const parts = new SlotParts(lines);
    let isCut = false;
    for (const line of lines) {
      const part = parts.next(line, budget.slotsFor(line.line), budget.slots);
      isCut = this.#serve(line, part, budget, leased) || isCut;
    }
    return { wantsMore: advanced || isCut, accountsDue: turns.accountsDue };
  }

  #dueLines(budget: ClaimBudget, { accountIds, lastAccountId }: AccountTurns): Line[] {
    const { now } = budget.request;
    const shut = budget.fullLines.length;
    const shutOfAccounts = Map.groupBy(budget.fullAccountLines, ({ accountId }) => accountId);
    this.#lastAccountId = lastAccountId;
    const each = Math.ceil(LINES_MAX / Math.max(1, accountIds.length));
    const found: Line[] = [];
    for (const accountId of startingWith(accountIds, this.#claims)) {
      const retries = budget.retrySlots > 0 ? 1 : 0;
      const count = each + shut + (shutOfAccounts.get(accountId)?.length ?? 0);
      const rows = this.#sql.dueLines.all(accountId, now, retries, count);
      const open = rows.map((row) => toLine(row)).filter((line) => !budget.isShut(line));
      found.push(...open.slice(0, each));
    }
    return found;
  }

  /** A short list of due lines names the accounts; otherwise a bounded number is asked. */
  #accountsInTurn(budget: ClaimBudget): AccountTurns {
    const { now } = budget.request;
    const named = new Set<string>();
    let lines = 0;
    let shut = 0;
    for (const row of this.#sql.nextLines.iterate()) {
      if ((row["next_at"] as number) > now) break;
      if (lines === LINES_NAMED || shut === SHUT_LINES_MAX) break;
      if (budget.isShut(accountLineOf(row))) {
        shut += 1;
        continue;
      }
      named.add(row["account_id"] as string);
      lines += 1;
    }
    if (lines < LINES_NAMED && shut < SHUT_LINES_MAX)
      return inTurn([...named], this.#lastAccountId);
    const rows = this.#sql.accountsAfter.all(this.#lastAccountId, now, HOPS_MAX);
    const asked = rows.map((row) => ({
      accountId: row["account_id"] as string,
      isDue: row["due"] === 1,
    }));
    return probedInTurn(asked, [...named], this.#lastAccountId);
  }

  /** Moves the first messages of a queue on to their next lines as slots come free. */
  #advanceQueue(queue: Line, now: number): boolean {
    const { accountId, line } = queue;
    const room = this.#lines.room(queue, now);
    const asked = Math.min(room.count, LINES_MAX);
    const rows = asked > 0 ? this.#sql.queueHead.all(accountId, line, now, asked) : [];
    for (const row of rows) {
      const messageId = row["message_id"] as string;
      const next = row["line_after"] as string;
      this.#sql.leaveQueue.run(now, accountId, messageId);
      this.#write.lineDue({ accountId, line: next, at: now });
    }
    const nextReadyAt = this.#lines.nextReadyAt(queue);
    const took = rows.length;
    this.#lines.reschedule(queue, { now, room, took, passedOver: false, nextReadyAt });
    return rows.length > 0;
  }

  /** Leases messages of a line. True when it used its part of the slots up and wants more. */
  #serve(line: Line, part: number, budget: ClaimBudget, leased: GrantedLease[]): boolean {
    const { now } = budget.request;
    const { accountId, line: name } = line;
    const room = this.#lines.room(line, now);
    const accountRoom = this.#lines.accountRoom(accountId);
    const asked = Math.min(room.count, part, accountRoom, budget.roomFor(line));
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
    this.#lines.reschedule(line, { now, room, took, passedOver, nextReadyAt });
    return took === part && nextReadyAt !== null && nextReadyAt <= now;
  }

  /** One suspect runs at a time in the whole cluster, so that the one that kills nodes is found. */
  #takeSuspect(budget: ClaimBudget, leased: GrantedLease[]): void {
    const { now } = budget.request;
    if (budget.slots === 0 || this.#sql.activeSuspect.get() !== undefined) return;
    for (const row of this.#sql.waitingSuspects.all(now)) {
      const line = this.#lines.find(row["account_id"] as string, row["line"] as string);
      if (this.#park(row, now)) continue;
      const room = this.#lines.room(line, now);
      if (room.count === 0 || !budget.affords(costOf(row))) continue;
      if (this.#lines.accountRoom(line.accountId) === 0) continue;
      leased.push(this.#lease(row, line.line, budget));
      this.#lines.update(line, line.running, room, 1);
      return;
    }
  }

  /**
   * A message of a paused queue goes back into it, where it blocks no others. It keeps its
   * position, and leaves again when the queue is resumed. True when it was moved.
   */
  #park(row: Row, now: number): boolean {
    const messageId = row["message_id"] as string;
    const queue = row["queue"] as string | null;
    if (queue === null || row["root_id"] !== messageId) return false;
    const accountId = row["account_id"] as string;
    if (this.#sql.isPaused.get(accountId, queue) === undefined) return false;
    this.#sql.park.run(accountId, messageId);
    this.#write.lineDue({ accountId, line: queue, at: now });
    return true;
  }

  #lease(row: Row, line: string, budget: ClaimBudget): GrantedLease {
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
    this.#write.step({ entry, next: null, ...NO_ATTEMPT });
    budget.spend(line, costOf(row));
    const fence = (row["fence"] as number) + 1;
    return { accountId, messageId, fence, host: row["host"] as string, attempts };
  }

  #nextAt(budget: ClaimBudget): number | null {
    const { now } = budget.request;
    const line = this.#nextLine(budget);
    const suspect = this.#sql.nextSuspect.get(now)?.["next_at"] as number | null | undefined;
    const instants = [line, suspect].filter((at) => at !== null && at !== undefined);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  /**
   * Lines to full hosts are skipped. When there are very many, the next one counts as due: a claim
   * soon after finds what is behind them.
   */
  #nextLine(budget: ClaimBudget): number | null {
    let shut = 0;
    for (const row of this.#sql.nextLines.iterate()) {
      const isShut = budget.isShut(accountLineOf(row));
      if (!isShut || shut++ === SHUT_LINES_MAX) return row["next_at"] as number;
    }
    return null;
  }
}

function accountLineOf(row: Row): { accountId: string; line: string } {
  return { accountId: row["account_id"] as string, line: row["line"] as string };
}

function costOf(row: Row): { accountId: string; host: string; bytes: number } {
  const accountId = row["account_id"] as string;
  return { accountId, host: row["host"] as string, bytes: row["bytes"] as number };
}
