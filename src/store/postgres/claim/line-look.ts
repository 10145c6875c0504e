import {
  type LineLimits,
  type LineRunning,
  lineKind,
  QUEUE_DEFAULT,
  type Room,
  roomOf,
  UNLIMITED,
} from "../../../core/model/line/line.ts";
import { type Row, toLineLimits, toLineRunning } from "../../records/rows.ts";
import { CLAIM_SQL } from "./claim-sql.ts";
import { columnsOf } from "../group/columns.ts";
import type { Session } from "../driver/conversation.ts";
import type { NamedLine } from "./line-lock.ts";

/** A line whose row this claim holds, so that nobody else gives out its messages. */
export interface Line extends NamedLine {
  readonly running: LineRunning;
  /** Messages that were ready before this instant are not looked at; see low-water.ts. */
  readonly readyFrom: number;
}

/** What is true of a line when it is looked at. */
export interface LineState {
  readonly limits: LineLimits;
  /** Messages that take up its room. */
  readonly held: number;
  /** When the first of those that wait is ready; null when none waits. */
  readonly nextReadyAt: number | null;
}

/** Looks at lines in a statement of its own, so that it sees all that was committed before. */
export async function readLineStates(
  session: Session,
  lines: readonly Line[],
): Promise<LineState[]> {
  if (lines.length === 0) return [];
  const from = lines.map(({ readyFrom }) => readyFrom);
  const rows = await session.query(CLAIM_SQL.look, [...nameColumns(lines), from]);
  return lines.map(({ line }, index) => toLineState(line, rows[index] as Row));
}

/** Of the same lines only when the first of those that wait is ready. */
export async function nextReadyIn(
  session: Session,
  lines: readonly Line[],
): Promise<(number | null)[]> {
  if (lines.length === 0) return [];
  const from = lines.map(({ readyFrom }) => readyFrom);
  const rows = await session.query(CLAIM_SQL.nextReady, [...nameColumns(lines), from]);
  return rows.map((row) => row["next_ready_at"] as number | null);
}

/**
 * What is known of a line once so many were taken, without looking again: who is to sleep is looked
 * at once more (reschedule-lines.ts).
 */
export function stateAfter(look: LineState, took: number, nextReadyAt: number | null): LineState {
  return { ...look, held: look.held + took, nextReadyAt };
}

export function roomIn(look: LineState, running: LineRunning, now: number): Room {
  return roomOf(look.limits, running, look.held, now);
}

export function toLine(row: Row): Line {
  return {
    accountId: row["account_id"] as string,
    line: row["line"] as string,
    running: toLineRunning(row),
    readyFrom: 0,
  };
}

export function nameColumns(lines: readonly NamedLine[]): unknown[][] {
  return columnsOf(
    lines,
    ({ accountId }) => accountId,
    ({ line }) => line,
  );
}

function toLineState(line: string, row: Row): LineState {
  return {
    limits: limitsOf(line, row),
    held: row["held"] as number,
    nextReadyAt: row["next_ready_at"] as number | null,
  };
}

function limitsOf(line: string, row: Row): LineLimits {
  const limits = ownLimitsOf(line, row);
  return row["halted"] === true ? { ...limits, halted: true } : limits;
}

/** Only queues and keys have limits of their own. */
function ownLimitsOf(line: string, row: Row): LineLimits {
  const kind = lineKind(line);
  if (kind !== "queue" && kind !== "key") return UNLIMITED;
  if (row["period_ms"] !== null) return toLineLimits(row);
  return kind === "queue" ? QUEUE_DEFAULT : UNLIMITED;
}
