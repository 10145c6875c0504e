import { flat, nested } from "../../core/model/message/settings.ts";
import {
  ENTRY_KINDS,
  type RunEntry,
  type Run,
  type RunFailure,
  type RunKey,
  type RunPhase,
  type RunState,
} from "../../core/model/workflow/run.ts";
import type { StoredEvent, Waiter, WaiterKey } from "../../core/model/workflow/waiter.ts";
import type { AddedWaiter, EndedRun } from "../group/run-rows.ts";
import type { Row } from "./rows.ts";
import { type Table, tableOf } from "./table.ts";

export const PHASES: readonly RunPhase[] = ["started", "success", "failed", "canceled"];

const OF_RUN = ["accountId", "runId", "createdAt"] as const;
const RUN_KEY_TYPES = { accountId: "text", runId: "text", createdAt: "bigint" } as const;

export const RUNS = tableOf<RunKey, Omit<RunState, "run">>("runs", OF_RUN, {
  ...RUN_KEY_TYPES,
  phase: asIndexIn(PHASES),
  nextOrdinal: "int",
  bytes: "bigint",
  storedEvents: "int",
  endedAt: "bigint?",
  failure: {
    type: "text?",
    write: (failure) => (failure === null ? null : JSON.stringify(failure)),
    read: (text: string | null) => (text === null ? null : (JSON.parse(text) as RunFailure)),
  },
});

export const RUN_KEY = RUNS.key;

export function toRunState(row: Row): RunState {
  return { ...RUNS.read(row), run: toRun(row["facts"] as string) };
}

export const RUN_FACTS: Table<RunKey, RunState> = {
  name: "run_facts",
  key: RUN_KEY,
  columns: [["facts", "long text", ({ run }) => runText(run)]],
};

export const RUN_RESPONSES: Table<EndedRun> = {
  name: "run_facts",
  key: [
    ["account_id", "text", ({ run }) => run.accountId],
    ["run_id", "text", ({ run }) => run.runId],
    ["created_at", "bigint", ({ run }) => run.createdAt],
  ],
  columns: [["response", "bytea?", ({ response }) => response]],
};

export const RUN_ENTRIES = tableOf<RunKey & Pick<RunEntry, "ordinal">, RunEntry>(
  "run_entries",
  [...OF_RUN, "ordinal"],
  {
    ...RUN_KEY_TYPES,
    ordinal: "int",
    kind: asIndexIn(ENTRY_KINDS),
    messageId: "text",
    stepKey: "text?",
    at: "bigint",
    body: "bytea",
  },
);

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

export const RUN_EVENTS = tableOf<RunKey & Pick<StoredEvent, "eventId" | "number">, StoredEvent>(
  "run_events",
  [...OF_RUN, "eventId", "number"],
  { ...RUN_KEY_TYPES, eventId: "text", number: "int", isHook: "boolean", body: "bytea" },
);

/** All waiters and all events of a run are removed by the key of the run. */
export const WAITERS_OF_RUN: Table<RunKey> = { name: "waiters", key: RUN_KEY, columns: [] };
export const EVENTS_OF_RUN: Table<RunKey> = { name: "run_events", key: RUN_KEY, columns: [] };

function runText(run: Run): string {
  const { invoker } = run;
  const stored = invoker && { ...invoker, requested: flat(invoker.requested) };
  return JSON.stringify({ ...flat(run), invoker: stored });
}

export function toRun(text: string): Run {
  const run = nested(JSON.parse(text) as Run);
  const { invoker } = run;
  if (invoker === undefined) return run;
  return { ...run, invoker: { ...invoker, requested: nested(invoker.requested) } };
}

/** A waiter as stored; when it is due in due time is a column. */
function waiterText(waiter: Waiter & { readonly dueAt: number }): string {
  const [notified, timedOut] = [flat(waiter.notified), flat(waiter.timedOut)];
  return JSON.stringify({ ...waiter, dueAt: undefined, notified, timedOut });
}

export function toWaiter(row: Row): Waiter {
  const waiter = JSON.parse(row["record"] as string) as Waiter;
  const { notified, timedOut } = waiter;
  return { ...waiter, notified: nested(notified), timedOut: nested(timedOut) };
}

/** A word of a list, stored as its index. */
function asIndexIn<Word>(words: readonly Word[]) {
  return {
    type: "smallint",
    write: (word: Word) => words.indexOf(word),
    read: (index: number) => words[index]!,
  } as const;
}
