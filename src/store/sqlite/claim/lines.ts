import type { StatementSync } from "node:sqlite";

import {
  type LineLimits,
  type LineRunning,
  type LineVisit,
  lineKind,
  nextVisit,
  QUEUE_DEFAULT,
  type Room,
  roomOf,
  UNLIMITED,
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

/** What lines let through, and when they are to be looked at again. */
export class Lines {
  readonly #sql: Readonly<Record<keyof typeof LINES_SQL, StatementSync>>;
  readonly #accounts = new Map<string, AccountBounds>();
  #postponed = 0;

  constructor(database: Database) {
    this.#sql = prepareAll(database, LINES_SQL);
  }

  /** The line by its name; one that nobody has looked at yet is idle. */
  find(accountId: string, line: string): Line {
    const row = this.#sql.line.get(accountId, line);
    return row ? toLine(row) : { accountId, line, running: IDLE };
  }

  room({ accountId, line, running }: Line, now: number): Room {
    const { limits, held } = this.#look(accountId, line);
    const { isHalted } = this.#account(accountId);
    return roomOf(isHalted ? { ...limits, halted: true } : limits, running, held, now);
  }

  /** Whether what the account has under way is counted. */
  isCapped(accountId: string): boolean {
    return this.#account(accountId).parallelismMax !== null;
  }

  /** How many more the account may have under way. */
  accountRoom(accountId: string): number {
    const { isHalted, parallelismMax } = this.#account(accountId);
    if (isHalted) return 0;
    if (parallelismMax === null) return Infinity;
    const held = this.#sql.countCapped.get(accountId)?.["held"] as number;
    return Math.max(0, parallelismMax - held);
  }

  /** Accounts do not change while a claim lasts. */
  begin(): void {
    this.#accounts.clear();
    this.#postponed = 0;
  }

  /** How many the claim has put back that are not due any more. */
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

  /** Puts a line back after a look, with the instant of the next one. */
  putBack(line: Line, look: LineVisit): void {
    const { accountId, line: name } = line;
    const { nextAt, emptied } = nextVisit(look);
    if (nextAt === null || nextAt > look.now) this.#postponed += 1;
    if (nextAt === null && emptied && lineKind(name) !== "key") {
      this.#sql.forgetLine.run(accountId, name);
      return;
    }
    this.keep(line, { nextAt, emptied }, look.room, look.took);
  }

  /** When the first message that waits in a line is ready; null when none does. */
  nextReadyAt({ accountId, line }: Line): number | null {
    let left = this.#sql.nextReady.get(accountId, line);
    // Suspects that went back into a queue wait there like the others.
    if (!left && lineKind(line) === "queue") left = this.#sql.nextQueued.get(accountId, line);
    return (left?.["ready_at"] ?? null) as number | null;
  }

  /** Records how many were started, and when the line is to be looked at. */
  keep(
    { accountId, line }: Line,
    { nextAt, emptied }: Pick<LineRunning, "nextAt" | "emptied">,
    room: Room,
    started: number,
  ): void {
    const starts = room.windowStarts + started;
    this.#sql.putBack.run(nextAt, room.windowStartedAt, starts, emptied ? 1 : 0, accountId, line);
  }

  /** What a line may let through, and what takes up its room. Hosts have no limits of their own. */
  #look(accountId: string, line: string): { limits: LineLimits; held: number } {
    const kind = lineKind(line);
    if (kind !== "queue" && kind !== "key") return NO_LIMITS;
    const isQueue = kind === "queue";
    const look = isQueue ? this.#sql.lookAtQueue : this.#sql.lookAtKey;
    const row = look.get(accountId, line) as Row;
    const otherwise = isQueue ? QUEUE_DEFAULT : UNLIMITED;
    const limits = row["period_ms"] === null ? otherwise : toLineLimits(row);
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
