import type { Account } from "../../core/model/account/account.ts";
import type { RunLogFilter } from "../../core/model/workflow/run-filter.ts";
import { RUN_STATES } from "../../core/model/workflow/run-log.ts";
import type { RunPhase } from "../../core/model/workflow/run.ts";
import { runEvents } from "../../core/views/run-events.ts";
import { failureLog, runWait, stepGroups } from "../../core/views/run-log.ts";
import type { StoredRun } from "../../store/reader/runs.ts";
import { readRunCursor, writeRunCursor } from "../../store/reads/runs.ts";
import type { Json } from "../../wire/message/message.ts";
import {
  type LoggedEvent,
  type LoggedRun,
  runEventJson,
  runLogJson,
} from "../../wire/workflow/run-log.ts";
import type { RunLogQuery } from "../../wire/workflow/run-log-query.ts";
import type { Context } from "../context.ts";
import { type Listed, openCursor, sealCursor } from "../pages.ts";
import { PAGE_BYTES_MAX } from "../../store/reader/page.ts";

/** Runs with their steps, the latest first. */
export async function listRunLogs(
  context: Context,
  account: Account,
  query: RunLogQuery,
): Promise<Listed<Json>> {
  const items: Json[] = [];
  const budget = new LogBudget();
  const filter = { ...(await filterOf(context, account, query)), phases: phasesOf(query) };
  let after = openCursor(context, "runs", query.cursor);
  let hasRoom: boolean;
  do {
    const count = query.count - items.length;
    const { order } = query;
    const page = await context.store.reader.runs.list(account.accountId, filter, {
      after,
      count,
      order,
      reserve: context.reserve,
    });
    for (const stored of page.items) {
      const logged = await readLog(context, account, stored);
      budget.read(stored);
      if (isWanted(query, logged)) items.push(budget.show(runLogJson(logged, query.trim)));
    }
    after = page.next;
    hasRoom = budget.hasRoomAfter(page.items.length, count);
  } while (after !== null && items.length < query.count && hasRoom);
  return { items, cursor: sealCursor(context, "runs", after) };
}

/**
 * Events of runs: the latest run first, and of each run the latest event first. A page may end
 * within a run; the position counts from the beginning of the run, where nothing is added.
 */
export async function listRunEvents(
  context: Context,
  account: Account,
  query: RunLogQuery,
): Promise<Listed<Json>> {
  const items: Json[] = [];
  const budget = new LogBudget();
  const filter = await filterOf(context, account, query);
  let position = openCursor(context, "run-events", query.cursor);
  for (;;) {
    const { runs, next, asked } = await readEventRuns(context, account, filter, position);
    for (const { stored, upTo } of runs) {
      const events = await readEvents(context, account, stored);
      budget.read(stored);
      for (let index = Math.min(upTo, events.length) - 1; index >= 0; index -= 1) {
        const logged = events[index]!;
        if (!isEventWanted(query, logged)) continue;
        if (items.length === query.count) {
          const endsAt = `${writeRunCursor(stored.state)}#${index + 1}`;
          return { items, cursor: sealCursor(context, "run-events", endsAt) };
        }
        items.push(budget.show(runEventJson(logged, query.trim)));
      }
    }
    if (next === null) return { items, cursor: undefined };
    if (!budget.hasRoomAfter(runs.length, asked)) {
      return { items, cursor: sealCursor(context, "run-events", next) };
    }
    position = next;
  }
}

interface EventRun {
  readonly stored: StoredRun;
  /** Events before this index have not been shown. */
  readonly upTo: number;
}

interface EventRuns {
  readonly runs: readonly EventRun[];
  readonly next: string | null;
  /** How many of them the store was asked for. */
  readonly asked: number;
}

/** The run in which the last page ended, else the next runs. */
async function readEventRuns(
  context: Context,
  account: Account,
  filter: RunLogFilter,
  position: string | null,
): Promise<EventRuns> {
  const { accountId } = account;
  const [run = null, upTo] = position?.split("#") ?? [];
  if (run !== null && Number(upTo) > 0) {
    const stored = await context.store.reader.runs.get({ accountId, ...readRunCursor(run) });
    await context.reserve?.(stored?.state.bytes ?? 0);
    const runs = stored === null ? [] : [{ stored, upTo: Number(upTo) }];
    return { runs, next: `${run}#0`, asked: runs.length };
  }
  const { reserve } = context;
  const request = { after: run, count: RUNS_AT_ONCE, order: "latestFirst", reserve } as const;
  const page = await context.store.reader.runs.list(accountId, filter, request);
  return {
    runs: page.items.map((stored) => ({ stored, upTo: Infinity })),
    next: page.next === null ? null : `${page.next}#0`,
    asked: RUNS_AT_ONCE,
  };
}

/** Message ids select their runs. */
async function filterOf(
  { store }: Context,
  { accountId }: Account,
  { filter, messageIds }: RunLogQuery,
): Promise<RunLogFilter> {
  if (messageIds === undefined) return filter;
  const keys: { runId: string; createdAt: number }[] = [];
  for (const messageId of messageIds) {
    const run = (await store.reader.messages.get({ accountId, messageId }, 0))?.message.run;
    if (run !== undefined) keys.push(run);
  }
  return { ...filter, keys };
}

/** The phases that the filter allows, unless it also matches the state of a step. */
function phasesOf({ states, waitingFor }: RunLogQuery): RunPhase[] | undefined {
  if (waitingFor !== undefined) return ["started"];
  const phases = Object.keys(RUN_STATES) as RunPhase[];
  const wanted = phases.filter((phase) => states?.includes(RUN_STATES[phase]));
  return states?.every((state) => state.startsWith("RUN_")) === true ? wanted : undefined;
}

async function readLog(
  context: Context,
  account: Account,
  { state, response }: StoredRun,
): Promise<LoggedRun> {
  const history = await readHistory(context, account, state);
  const groups = stepGroups(state, history, context.clock.now());
  return { state, response, groups, failure: failureLog(state, history) };
}

async function readEvents(
  context: Context,
  account: Account,
  { state, response }: StoredRun,
): Promise<LoggedEvent[]> {
  const history = await readHistory(context, account, state);
  const events = runEvents(state, history, context.clock.now());
  return events.map((event) => ({ state, response, event }));
}

function readHistory({ store }: Context, { limits }: Account, state: StoredRun["state"]) {
  return store.reader.runs.history(state, limits.eventBytesMax);
}

function isWanted({ states, waitingFor }: RunLogQuery, { state, groups }: LoggedRun): boolean {
  if (waitingFor !== undefined && !waitingFor.some((wait) => wait === runWait(groups)))
    return false;
  if (states === undefined || states.includes(RUN_STATES[state.phase])) return true;
  return groups.some(({ steps }) => steps.some((step) => states.includes(step.state)));
}

function isEventWanted({ messageIds, states }: RunLogQuery, { event }: LoggedEvent): boolean {
  if (messageIds !== undefined && !messageIds.some((id) => id === event.messageId)) return false;
  return states === undefined || states.includes(event.state);
}

const RUNS_AT_ONCE = 10;

/**
 * How much a page of the log of runs may still show and read. What is shown of a run can be far less
 * than what is stored of it, where bodies are left out; both are bounded, each by its own limit.
 */
class LogBudget {
  #runs = 0;
  #rounds = 0;
  #readBytes = 0;
  #shownBytes = 0;

  read({ state, response }: StoredRun): void {
    this.#runs += 1;
    this.#readBytes += state.bytes + (response?.byteLength ?? 0);
  }

  /** A run or event is part of the page. */
  show<Shown>(shown: Shown): Shown {
    this.#shownBytes += jsonSize(shown);
    return shown;
  }

  /**
   * Whether to read on after the store gave so many of the runs that it was asked for. It gives
   * fewer when the next run does not fit beside them, or when it has read enough rows; one that found
   * none has.
   */
  hasRoomAfter(found: number, asked: number): boolean {
    this.#rounds += 1;
    if (this.#runs >= RUNS_READ_MAX || this.#readBytes >= READ_BYTES_MAX) return false;
    if (found === asked) return this.#shownBytes < PAGE_BYTES_MAX / 2;
    // The next run may be as large as a page.
    const isSmall = this.#shownBytes < PAGE_BYTES_MAX / 8;
    return found > 0 && isSmall && this.#rounds < SHORT_ROUNDS_MAX;
  }
}

/** A list reads at most this many runs, then returns what it found and a cursor. */
const RUNS_READ_MAX = 1_000;
/** Stored bytes that one list reads, and the run with which it passes them. */
const READ_BYTES_MAX = 4 * PAGE_BYTES_MAX;
const SHORT_ROUNDS_MAX = 20;

/** About how many characters a value takes as JSON, without writing it. */
function jsonSize(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return value === undefined ? 0 : 8;
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + jsonSize(each) + 1, 2);
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) size += name.length + 4 + jsonSize(member);
  }
  return size;
}
