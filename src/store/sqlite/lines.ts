import type { StatementSync } from "node:sqlite";

import {
  type LineLimits,
  type LineRunning,
  type Look,
  lineKind,
  nextLook,
  QUEUE_DEFAULT,
  type Room,
  roomOf,
  UNLIMITED,
} from "../../core/model/line.ts";
import { type Row, toLineLimits, toLineRunning } from "../rows.ts";
import { LINES_SQL } from "./claim-sql.ts";
import { type Database, prepareAll } from "./connection.ts";

export interface Line {
  readonly accountId: string;
  readonly line: string;
  readonly running: LineRunning;
}

/** What lines let through, and when they are to be looked at again. */
export class Lines {
  readonly #sql: Readonly<Record<keyof typeof LINES_SQL, StatementSync>>;

  constructor(database: Database) {
    this.#sql = prepareAll(database, LINES_SQL);
  }

  /** The line by its name; one that nobody has looked at yet is idle. */
  find(accountId: string, line: string): Line {
    const row = this.#sql.line.get(accountId, line);
    return row ? toLine(row) : { accountId, line, running: IDLE };
  }

  room({ accountId, line, running }: Line, now: number): Room {
    const limits = this.#limits(accountId, line);
    const isHalted = this.#sql.account.get(accountId)?.["halted"] === 1;
    const held = this.#held(accountId, line);
    return roomOf(isHalted ? { ...limits, halted: true } : limits, running, held, now);
  }

  /** How many more the account may have under way. */
  accountRoom(accountId: string): number {
    const row = this.#sql.account.get(accountId);
    if (row?.["halted"] === 1) return 0;
    const max = (row?.["parallelism_max"] ?? null) as number | null;
    if (max === null) return Infinity;
    return Math.max(0, max - (this.#sql.countCapped.get(accountId)?.["held"] as number));
  }

  /** Puts a line back after a look, with the instant of the next one. */
  putBack(line: Line, look: Omit<Look, "emptied" | "nextReadyAt">): void {
    const { accountId, line: name, running } = line;
    const left = this.#sql.nextReady.get(accountId, name);
    const nextReadyAt = (left?.["ready_at"] ?? null) as number | null;
    const { nextAt, emptied } = nextLook({ ...look, nextReadyAt, emptied: running.emptied });
    if (nextAt === null && emptied && lineKind(name) !== "key") {
      this.#sql.forgetLine.run(accountId, name);
      return;
    }
    this.keep(line, { nextAt, emptied }, look.room, look.took);
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

  /** Messages that take up a line's room. */
  #held(accountId: string, line: string): number {
    switch (lineKind(line)) {
      case "queue":
        return this.#sql.countHolds.get(accountId, line)?.["held"] as number;
      case "key":
        return this.#sql.countKeyed.get(accountId, line)?.["held"] as number;
      case "host":
      case "retry":
        return 0;
    }
  }

  /** Only queues and keys have limits of their own. */
  #limits(accountId: string, line: string): LineLimits {
    const kind = lineKind(line);
    if (kind !== "queue" && kind !== "key") return UNLIMITED;
    const row = this.#sql.limits.get(accountId, line);
    if (row) return toLineLimits(row);
    return kind === "queue" ? QUEUE_DEFAULT : UNLIMITED;
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
