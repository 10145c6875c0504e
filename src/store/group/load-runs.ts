import type { RunNeed } from "../../core/rule.ts";
import type { RunState } from "../../core/model/workflow/run.ts";
import type { Key, Query, Reading } from "../reads/reading.ts";
import { OF_RUN, runKeyOf } from "../reads/runs.ts";
import { RUN_EVENTS, toRun, toWaiter } from "../records/run-tables.ts";
import { nameKey, runKey, type RunRows } from "./run-rows.ts";

/** A run that was locked, without its facts. */
type LockedRun = Omit<RunState, "run">;

/** A run that was found, and what a rule needs of it. */
interface FoundNeed {
  readonly need: RunNeed;
  readonly state: LockedRun;
}

/**
 * Loads the facts of the runs that a group has locked, except of those that are loaded already, and
 * what rules need of them. These rows are
 * changed only under the lock of their run, so they need none of their own; and they are read after
 * it: a statement that waits for a lock may see rows beside the locked one as they were before.
 */
export function* loadOfRuns(
  needs: readonly RunNeed[],
  locked: readonly LockedRun[],
  runs: RunRows,
): Reading<void> {
  const found = foundAmong(locked, needs);
  const steps = found.flatMap(({ need, state }) =>
    (need.stepKeys ?? []).map((stepKey) => ({ state, stepKey })),
  );
  const opened = found.filter(({ need }) => need.payload === true);
  const events = wantedEvents(found);
  const unknown = locked.filter((state) => runs.find(state) === null);
  const each = [...new Map(unknown.map((state) => [runKey(state), { state }])).values()];
  const [facts, stepRows, payloads, waiters, eventRows] = yield [
    lookingUp("facts", each, () => []),
    lookingUp("step", steps, ({ stepKey }) => [stepKey]),
    lookingUp("payload", opened, () => []),
    lookingUp("waiters", events, ({ eventId }) => [eventId]),
    lookingUp("events", events, ({ eventId, isHook, count }) => [eventId, Number(isHook), count]),
  ];
  for (const [index, { state }] of each.entries()) {
    const [row] = facts![index]!;
    if (row) runs.load({ ...state, run: toRun(row["facts"] as string) });
  }
  for (const [index, { state, stepKey }] of steps.entries()) {
    const [row] = stepRows![index]!;
    if (row) runs.loadStep(state, stepKey, row["message_id"] as string);
  }
  for (const [index, { state }] of opened.entries()) {
    const [row] = payloads![index]!;
    if (row) runs.loadPayload(state, row["body"] as Uint8Array);
  }
  for (const row of waiters!.flat()) {
    runs.loadWaiter(toWaiter(row), row["result_id"] as string | null);
  }
  for (const row of eventRows!.flat()) runs.loadEvent(RUN_EVENTS.read(row));
}

/** What each rule needs of which run: a name without a creation time means the latest. */
function foundAmong(locked: readonly LockedRun[], needs: readonly RunNeed[]): FoundNeed[] {
  const named = new Map<string, LockedRun>();
  for (const state of locked.toSorted((one, other) => one.createdAt - other.createdAt)) {
    named.set(runKey(state), state).set(nameKey(state), state);
  }
  return needs.flatMap((need) => {
    const { createdAt, ...name } = need.ref;
    const key = createdAt === undefined ? nameKey(name) : runKey({ ...name, createdAt });
    const state = named.get(key);
    return state === undefined ? [] : [{ need, state }];
  });
}

/** The events that rules ask for, and how many of each: as many as there are requests. */
function wantedEvents(found: readonly FoundNeed[]): WantedEvents[] {
  const wanted = new Map<string, WantedEvents>();
  for (const { need, state } of found) {
    const { eventId, isHook = false } = need;
    if (eventId === undefined) continue;
    const key = `${runKey(state)}\0${eventId}\0${isHook}`;
    wanted.set(key, { state, eventId, isHook, count: (wanted.get(key)?.count ?? 0) + 1 });
  }
  return [...wanted.values()];
}

interface WantedEvents {
  readonly state: LockedRun;
  readonly eventId: string;
  readonly isHook: boolean;
  readonly count: number;
}

function lookingUp<Item extends { readonly state: LockedRun }>(
  name: keyof typeof LOAD_RUNS_SQL,
  items: readonly Item[],
  restOfKey: (item: Item) => Key,
): Query {
  const keys = items.map((item) => [...runKeyOf(item.state), ...restOfKey(item)]);
  return { text: LOAD_RUNS_SQL[name], values: [], keys };
}

export const LOAD_RUNS_SQL = {
  facts: `SELECT facts FROM run_facts WHERE ${OF_RUN}`,
  step: `SELECT message_id FROM run_entries WHERE ${OF_RUN} AND step_key = $4`,
  payload: `SELECT body FROM run_entries WHERE ${OF_RUN} AND ordinal = 0`,
  // Each with the message that brought a result to its step, if there is one.
  waiters: `SELECT record, (SELECT message_id FROM run_entries
      WHERE ${OF_RUN} AND step_key = 'r:' || w.step_id) AS result_id
    FROM waiters w WHERE ${OF_RUN} AND event_id = $4`,
  events: `SELECT * FROM run_events WHERE ${OF_RUN} AND event_id = $4 AND is_hook = ($5 = 1)
    ORDER BY number LIMIT $6`,
} as const;
