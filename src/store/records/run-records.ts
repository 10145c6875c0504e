import { decodeFacts } from "../../core/model/message/facts.ts";
import { flat, nested } from "../../core/model/message/settings.ts";
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

/** Rows of runs as types of the core, and back where both databases write alike. */

const PHASES: readonly RunPhase[] = ["started", "success", "failed", "canceled"];

export const phaseNumber = (phase: RunPhase): number => PHASES.indexOf(phase);
export const kindNumber = (kind: RunEntry["kind"]): number => ENTRY_KINDS.indexOf(kind);

/** A row of a run with its facts. */
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
    run: toRun(row["facts"] as string),
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

/** Only the columns that are sent: a long run has many entries. */
export function toListedEntry(row: Row): ListedEntry {
  return {
    kind: ENTRY_KINDS[row["kind"] as number] as RunEntry["kind"],
    messageId: row["message_id"] as string,
    body: row["body"] as Uint8Array,
  };
}

/** A run as stored. */
export function runText(run: Run): string {
  const { invoker } = run;
  const stored = invoker && { ...invoker, requested: flat(invoker.requested) };
  return JSON.stringify({ ...flat(run), invoker: stored });
}

function toRun(text: string): Run {
  const run = nested(JSON.parse(text) as Run);
  const { invoker } = run;
  if (invoker === undefined) return run;
  return { ...run, invoker: { ...invoker, requested: nested(invoker.requested) } };
}

/** A waiter as stored; when it is due in due time is a column. */
export function waiterText(waiter: Waiter & { readonly dueAt: number }): string {
  const [notified, timedOut] = [flat(waiter.notified), flat(waiter.timedOut)];
  return JSON.stringify({ ...waiter, dueAt: undefined, notified, timedOut });
}

export function toWaiter(row: Row): Waiter {
  const waiter = JSON.parse(row["record"] as string) as Waiter;
  const { notified, timedOut } = waiter;
  return { ...waiter, notified: nested(notified), timedOut: nested(timedOut) };
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

/** The history of a message, from its facts and the rows of its log in order. */
export function toMessageHistory(facts: Row, log: readonly Row[]): MessageHistory {
  return {
    message: decodeFacts(facts["facts"] as string),
    // SQLite's substr of an empty blob is NULL.
    body: (facts["body"] as Uint8Array | null) ?? new Uint8Array(0),
    log: log.flatMap(toLoggedAttempts),
  };
}

function toLoggedAttempts(row: Row): LoggedAttempt[] {
  return toLogEntries(row).map(({ entry }) => ({
    entry,
    attempt: tellsOfAnswer(entry.state) && row["started_at"] !== null ? toAttemptRecord(row) : null,
  }));
}

/** The runs that a run has invoked, as named in its entries. */
export function invokedRuns(entries: readonly RunEntry[]): RunCursor[] {
  const opened = entries.filter(({ kind }) => kind === "invoke");
  return opened.flatMap(({ body }) => {
    const { invoked } = JSON.parse(new TextDecoder().decode(body)) as { invoked?: RunCursor };
    return invoked ? [{ runId: invoked.runId, createdAt: invoked.createdAt }] : [];
  });
}

/** A row of a run's facts with the beginning of its payload. */
export function toInvokedHistory(row: Row): InvokedHistory {
  return {
    run: toRun(row["facts"] as string),
    payload: (row["payload"] as Uint8Array | null) ?? new Uint8Array(0),
  };
}

/** Messages of a run that are named outside of its entries. */
export function messagesOutsideEntries({ failure }: RunState): string[] {
  const ids = [failure?.messageId, failure?.call?.messageId];
  return ids.filter((id) => id !== undefined);
}

/** How many bytes of a page a run takes. */
export function listedRunBytes({ bytes, nextOrdinal }: RunState, row: Row): number {
  return bytes + nextOrdinal * ENTRY_BYTES + ((row["response_bytes"] as number | null) ?? 0);
}

/** What an entry, its message and their log take besides their bodies. */
const ENTRY_BYTES = 1_024;

/** The cursor of a run in a list of runs. */
export interface RunCursor {
  readonly createdAt: number;
  readonly runId: string;
}

export const writeRunCursor = ({ createdAt, runId }: RunCursor): string => `${createdAt}@${runId}`;

export function readRunCursor(text: string): RunCursor {
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
