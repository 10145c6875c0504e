import type { RunEntry } from "../../core/model/workflow/run-entry.ts";
import type { RunKey, RunState } from "../../core/model/workflow/run.ts";
import type { StoredEvent, WaiterKey } from "../../core/model/workflow/waiter.ts";
import type { AddedWaiter, EndedRun } from "../group/run-rows.ts";
import { failureText, kindNumber, phaseNumber, runText, waiterText } from "./run-records.ts";
import type { Column, Table } from "./table.ts";

export const RUN_KEY: readonly Column<RunKey>[] = [
  ["account_id", "text", ({ accountId }) => accountId],
  ["run_id", "text", ({ runId }) => runId],
  ["created_at", "bigint", ({ createdAt }) => createdAt],
];

export const RUNS: Table<RunKey, RunState> = {
  name: "runs",
  key: RUN_KEY,
  columns: [
    ["phase", "smallint", ({ phase }) => phaseNumber(phase)],
    ["next_ordinal", "int", ({ nextOrdinal }) => nextOrdinal],
    ["bytes", "bigint", ({ bytes }) => bytes],
    ["stored_events", "int", ({ storedEvents }) => storedEvents],
    ["ended_at", "bigint?", ({ endedAt }) => endedAt],
    ["failure", "text?", failureText],
  ],
};

export const RUN_FACTS: Table<RunKey, RunState> = {
  name: "run_facts",
  key: RUN_KEY,
  columns: [["facts", "long text", ({ run }) => runText(run)]],
};

/** What a run has returned, once it ends. */
export const RUN_RESPONSES: Table<EndedRun> = {
  name: "run_facts",
  key: [
    ["account_id", "text", ({ run }) => run.accountId],
    ["run_id", "text", ({ run }) => run.runId],
    ["created_at", "bigint", ({ run }) => run.createdAt],
  ],
  columns: [["response", "bytea?", ({ response }) => response]],
};

export const RUN_ENTRIES: Table<RunEntry> = {
  name: "run_entries",
  key: [...RUN_KEY, ["ordinal", "int", ({ ordinal }) => ordinal]],
  columns: [
    ["kind", "smallint", ({ kind }) => kindNumber(kind)],
    ["message_id", "text", ({ messageId }) => messageId],
    ["step_key", "text?", ({ stepKey }) => stepKey],
    ["at", "bigint", ({ at }) => at],
    ["body", "bytea", ({ body }) => body],
  ],
};

export const WAITERS: Table<WaiterKey, AddedWaiter> = {
  name: "waiters",
  key: [
    ...RUN_KEY,
    ["event_id", "text", ({ eventId }) => eventId],
    ["step_id", "int", ({ stepId }) => stepId],
  ],
  columns: [
    ["deadline_at", "bigint", ({ dueAt }) => dueAt],
    ["record", "long text", waiterText],
  ],
};

export const RUN_EVENTS: Table<StoredEvent> = {
  name: "run_events",
  key: [
    ...RUN_KEY,
    ["event_id", "text", ({ eventId }) => eventId],
    ["number", "int", ({ number }) => number],
  ],
  columns: [
    ["is_hook", "boolean", ({ isHook }) => isHook],
    ["body", "bytea", ({ body }) => body],
  ],
};

/** All waiters and all events of a run are removed by the key of the run. */
export const WAITERS_OF_RUN: Table<RunKey> = { name: "waiters", key: RUN_KEY, columns: [] };
export const EVENTS_OF_RUN: Table<RunKey> = { name: "run_events", key: RUN_KEY, columns: [] };
