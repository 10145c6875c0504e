import type { StatementSync } from "node:sqlite";

import {
  type LineLimits,
  type LineRunning,
  type LineVisit,
  isForgotten,
  lineKind,
  type NextVisit,
  nextVisit,
  type Room,
  roomOf,
  UNLIMITED,
  unsetLimits,
  windowAfter,
} from "../../../core/model/line/line.ts";
import { type Row, toLineLimits, toLineRunning } from "../../records/rows.ts";
import { LINES_SQL } from "./claim-sql.ts";
import { type Database, prepareAll } from "../thread/connection.ts";

export interface Line {
  readonly accountId: string;
  readonly line: string;
  readonly running: LineRunning;
}

interface AccountBounds {
  readonly isHalted: boolean;
  readonly parallelismMax: number | null;
}

/** Limits and load of lines, and when they are visited again. */
export class Lines {
  readonly #sql: Readonly<Record<keyof typeof LINES_SQL, StatementSync>>;
  readonly #accounts = new Map<string, AccountBounds>();
  #postponed = 0;

  constructor(database: Database) {
    this.#sql = prepareAll(database, LINES_SQL);
  }

  /** The line by its name; one without a row is idle. */
  find(accountId: string, line: string): Line {
    const row = this.#sql.line.get(accountId, line);
    return row ? toLine(row) : { accountId, line, running: IDLE };
  }

  room({ accountId, line, running }: Line, now: number): Room {
    const { limits, held } = this.#limits(accountId, line);
    const { isHalted } = this.#account(accountId);
    return roomOf(isHalted ? { ...limits, halted: true } : limits, running, held, now);
  }

  /** Whether the account's attempts under way are counted. */
  isCapped(accountId: string): boolean {
    return this.#account(accountId).parallelismMax !== null;
  }

  /** How many more attempts the account may have under way. */
  accountRoom(accountId: string): number {
    const { isHalted, parallelismMax } = this.#account(accountId);
    if (isHalted) return 0;
    if (parallelismMax === null) return Infinity;
    const held = this.#sql.countCapped.get(accountId)?.["held"] as number;
    return Math.max(0, parallelismMax - held);
  }

  /** Accounts do not change during a claim, so their limits are cached. */
  begin(): void {
    this.#accounts.clear();
    this.#postponed = 0;
  }

  /** How many lines of the claim are no longer due. */
  get postponed(): number {
    return this.#postponed;
  }

  #account(accountId: string): AccountBounds {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    const row = this.#sql.account.get(accountId);
    const parallelismMax = (row?.["parallelism_max"] ?? null) as number | null;
    const found = { isHalted: row?.["halted"] === 1, parallelismMax };
    this.#accounts.set(accountId, found);
    return found;
  }

  /** Writes a visited line with the instant of its next visit. */
  reschedule(line: Line, visit: LineVisit): void {
    const { accountId, line: name } = line;
    const { nextAt, emptied } = nextVisit(visit);
    if (nextAt === null || nextAt > visit.now) this.#postponed += 1;
    if (isForgotten(name, { nextAt, emptied })) {
      this.#sql.remove.run(accountId, name);
      return;
    }
    this.update(line, { nextAt, emptied }, visit.room, visit.took);
  }

  /** When the first waiting message of a line is ready; null when none waits. */
  nextReadyAt({ accountId, line }: Line): number | null {
    let left = this.#sql.nextReady.get(accountId, line);
    // Suspects that are back in a queue wait there like the others.
    if (!left && lineKind(line) === "queue") left = this.#sql.nextQueued.get(accountId, line);
    return (left?.["ready_at"] ?? null) as number | null;
  }

  /** Stores how many messages were started, and when the line is visited next. */
  update(
    { accountId, line }: Line,
    { nextAt, emptied }: NextVisit,
    room: Room,
    started: number,
  ): void {
    const { windowStartedAt, windowStarts } = windowAfter(room, started);
    const values = [nextAt, windowStartedAt, windowStarts, emptied ? 1 : 0] as const;
    this.#sql.update.run(...values, accountId, line);
  }

  /** The limits of a line, and how many messages count against them. Hosts have none. */
  #limits(accountId: string, line: string): { limits: LineLimits; held: number } {
    const kind = lineKind(line);
    if (kind !== "queue" && kind !== "key") return NO_LIMITS;
    const state = kind === "queue" ? this.#sql.queueState : this.#sql.keyState;
    const row = state.get(accountId, line) as Row;
    const limits = row["period_ms"] === null ? unsetLimits(line) : toLineLimits(row);
    return { limits, held: row["held"] as number };
  }
}

export function toLine(row: Row): Line {
  return {
    accountId: row["account_id"] as string,
    line: row["line"] as string,
    running: toLineRunning(row),
  };
}

const IDLE: LineRunning = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: false };
const NO_LIMITS = { limits: UNLIMITED, held: 0 };
