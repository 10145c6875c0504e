import { decodeFacts } from "../../core/model/message/facts.ts";
import { ENTRY_KINDS, type RunEntry } from "../../core/model/workflow/run-entry.ts";
import type {
  InvokedHistory,
  LoggedAttempt,
  MessageHistory,
} from "../../core/model/workflow/run-history.ts";
import type { Run, RunFailure, RunPhase, RunState } from "../../core/model/workflow/run.ts";
import type { StoredEvent, Waiter } from "../../core/model/workflow/waiter.ts";
import type { ListedEntry } from "../../core/rules/workflow/entry-list.ts";
import { tellsOfAnswer, toAttemptRecord, toLogEntries } from "./log-step.ts";
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

/** What is sent of an entry: a long run has many, so that only this much of them is read. */
export function toListedEntry(row: Row): ListedEntry {
  return {
    kind: ENTRY_KINDS[row["kind"] as number] as RunEntry["kind"],
    messageId: row["message_id"] as string,
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
    isHook: Boolean(row["is_hook"]),
    body: row["body"] as Uint8Array,
  };
}

/** What became of messages, from their facts and from the rows of their logs, both in order. */
export function toMessageHistories(facts: readonly Row[], logs: readonly Row[]): MessageHistory[] {
  const byMessage = Map.groupBy(logs, (row) => row["message_id"] as string);
  return facts.map((row) => ({
    message: decodeFacts(row["facts"] as string),
    // The beginning of nothing is NULL in SQLite.
    body: (row["body"] as Uint8Array | null) ?? new Uint8Array(0),
    log: (byMessage.get(row["message_id"] as string) ?? []).flatMap(toLoggedAttempts),
  }));
}

function toLoggedAttempts(row: Row): LoggedAttempt[] {
  return toLogEntries(row).map(({ entry }) => ({
    entry,
    attempt: tellsOfAnswer(entry.state) && row["started_at"] !== null ? toAttemptRecord(row) : null,
  }));
}

/** The runs that a run has invoked, as its entries name them. */
export function invokedRuns(entries: readonly RunEntry[]): RunPlace[] {
  const opened = entries.filter(({ kind }) => kind === "invoke");
  return opened.flatMap(({ body }) => {
    const { invoked } = JSON.parse(new TextDecoder().decode(body)) as { invoked?: RunPlace };
    return invoked ? [{ runId: invoked.runId, createdAt: invoked.createdAt }] : [];
  });
}

/** A row of the facts of a run, with the beginning of its payload beside them. */
export function toInvokedHistory(row: Row): InvokedHistory {
  return {
    run: JSON.parse(row["facts"] as string) as Run,
    payload: (row["payload"] as Uint8Array | null) ?? new Uint8Array(0),
  };
}

/** What is known by name of a run's messages; those of its entries are found by these. */
export function messagesOutsideEntries({ failure }: RunState): string[] {
  const ids = [failure?.messageId, failure?.call?.messageId];
  return ids.filter((id) => id !== undefined);
}

/** How much of a page a run takes up. */
export function listedRunBytes({ bytes, nextOrdinal }: RunState, row: Row): number {
  return bytes + nextOrdinal * ENTRY_BYTES + ((row["response_bytes"] as number | null) ?? 0);
}

/** What an entry, its message and their log take up beside what they carry. */
const ENTRY_BYTES = 1_024;

/** The place of a run in a list of runs. */
export interface RunPlace {
  readonly createdAt: number;
  readonly runId: string;
}

export const writeRunPlace = ({ createdAt, runId }: RunPlace): string => `${createdAt}@${runId}`;

export function readRunPlace(text: string): RunPlace {
  const at = text.indexOf("@");
  return { createdAt: Number(text.slice(0, at)), runId: text.slice(at + 1) };
}

function toRunKey(row: Row): { accountId: string; runId: string; createdAt: number } {
  return {
    accountId: row["account_id"] as string,
    runId: row["run_id"] as string,
    createdAt: row["created_at"] as number,
  };
}
