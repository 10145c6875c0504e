import { ENTRY_KINDS, type RunEntry } from "../core/model/run-entry.ts";
import type { Run, RunFailure, RunPhase, RunState } from "../core/model/run.ts";
import type { StoredEvent, Waiter } from "../core/model/waiter.ts";
import type { Row } from "./rows.ts";

/** Rows of runs as nouns of the core, and the other way round where both databases write alike. */

const PHASES: readonly RunPhase[] = ["started", "success", "failed", "cancelled"];

export const phaseNumber = (phase: RunPhase): number => PHASES.indexOf(phase);
export const kindNumber = (kind: RunEntry["kind"]): number => ENTRY_KINDS.indexOf(kind);

/** A row of runs with the facts beside it. */
export function toRunState(row: Row): RunState {
  const failure = row["failure"] as string | null;
  return {
    ...toRunKey(row),
    phase: PHASES[row["phase"] as number] as RunPhase,
    nextOrdinal: row["next_ordinal"] as number,
    bytes: row["bytes"] as number,
    storedEvents: row["stored_events"] as number,
    endedAt: row["ended_at"] as number | null,
    failure: failure === null ? null : (JSON.parse(failure) as RunFailure),
    run: JSON.parse(row["facts"] as string) as Run,
  };
}

export function failureText({ failure }: RunState): string | null {
  return failure === null ? null : JSON.stringify(failure);
}

export function toRunEntry(row: Row): RunEntry {
  return {
    ...toRunKey(row),
    ordinal: row["ordinal"] as number,
    kind: ENTRY_KINDS[row["kind"] as number] as RunEntry["kind"],
    messageId: row["message_id"] as string,
    stepKey: row["step_key"] as string | null,
    at: row["at"] as number,
    body: row["body"] as Uint8Array,
  };
}

export function toWaiter(row: Row): Waiter {
  return JSON.parse(row["record"] as string) as Waiter;
}

export function toStoredEvent(row: Row): StoredEvent {
  return {
    ...toRunKey(row),
    eventId: row["event_id"] as string,
    number: row["number"] as number,
    body: row["body"] as Uint8Array,
  };
}

function toRunKey(row: Row): { accountId: string; runId: string; createdAt: number } {
  return {
    accountId: row["account_id"] as string,
    runId: row["run_id"] as string,
    createdAt: row["created_at"] as number,
  };
}
