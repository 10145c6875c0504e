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

/** A line whose row this claim has locked, so that no other claim leases its messages. */
export interface Line extends NamedLine {
  readonly running: LineRunning;
  /** Messages that were ready before this instant are skipped; see low-water.ts. */
  readonly readyFrom: number;
}

/** The limits and the load of a line at one instant. */
export interface LineState {
  readonly limits: LineLimits;
  /** Messages that count against its limit. */
  readonly held: number;
  /** When the first waiting message is ready; null when none waits. */
  readonly nextReadyAt: number | null;
}

/** Reads in a statement of its own, so that it sees all that was committed before. */
export async function readLineStates(
  session: Session,
  lines: readonly Line[],
): Promise<LineState[]> {
  if (lines.length === 0) return [];
  const from = lines.map(({ readyFrom }) => readyFrom);
  const rows = await session.query(CLAIM_SQL.lineStates, [...nameColumns(lines), from]);
  return lines.map(({ line }, index) => toLineState(line, rows[index] as Row));
}

/** Only when the first waiting message of each line is ready. */
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
 * The state after `took` messages were leased, without reading it again: a line that is postponed
 * is read again anyway (reschedule-lines.ts).
 */
export function stateAfter(state: LineState, took: number, nextReadyAt: number | null): LineState {
  return { ...state, held: state.held + took, nextReadyAt };
}

export function roomIn(state: LineState, running: LineRunning, now: number): Room {
  return roomOf(state.limits, running, state.held, now);
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
