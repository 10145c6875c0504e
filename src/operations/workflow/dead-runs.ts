import { parseDeadLetterId } from "../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import { Problem } from "../../core/problem.ts";
import type { BulkQuery, ListQuery } from "../../wire/filters/filters.ts";
import { type BulkCount, countDead, eachPage } from "../bulk-pages.ts";
import type { Context } from "../context.ts";
import { removeLetters, deadLetterNotFound } from "../message/dead-letters.ts";
import { type Listed, listDated } from "../pages.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { RunKey } from "../../core/model/workflow/run.ts";

/** Failed runs, the latest first. */
export async function listDeadRuns(
  context: Context,
  accountId: string,
  query: ListQuery<DeadRunFilter>,
): Promise<Listed<DeadRun>> {
  return listDated(context, SCOPE, query, (filter, page) =>
    context.store.reader.deadRuns.list(accountId, filter, page),
  );
}

export async function getDeadRun(
  context: Context,
  accountId: string,
  id: string,
): Promise<DeadRun> {
  const key = parseDeadLetterId(accountId, id);
  const dead = key && (await context.store.reader.deadRuns.get(key));
  if (dead === null) throw deadLetterNotFound(id);
  return dead;
}

export async function removeDeadRun(
  context: Context,
  accountId: string,
  id: string,
): Promise<void> {
  const { deadLetter } = await getDeadRun(context, accountId, id);
  if ((await removeLetters(context, [deadLetter])) === 0) throw deadLetterNotFound(id);
}

/** How many a bulk change would reach. */
export function countDeadRuns(
  context: Context,
  accountId: string,
  query: BulkQuery<DeadRunFilter>,
): Promise<BulkCount> {
  return countDead(context, SCOPE, query, (filter, page) =>
    context.store.reader.deadRuns.keys(accountId, filter, page),
  );
}

/** Removes all matching failed runs, or `count` of them. Unknown ids are skipped. */
export async function removeDeadRuns(
  context: Context,
  accountId: string,
  query: BulkQuery<DeadRunFilter>,
): Promise<{ readonly deleted: number; readonly cursor: string | undefined }> {
  let deleted = 0;
  const change = async (dead: readonly DeadRun[]): Promise<void> => {
    const letters = dead.map(({ deadLetter }) => deadLetter);
    deleted += await removeLetters(context, letters);
  };
  const cursor = await eachDeadRun(context, accountId, query, { change });
  return { deleted, cursor };
}

/** Works through the matching failed runs, newest first, and returns where to continue. */
export async function eachDeadRun(
  context: Context,
  accountId: string,
  query: BulkQuery<DeadRunFilter>,
  { change, reserve }: DeadRunWork,
): Promise<string | undefined> {
  if (query.filter.deadLetterIds !== undefined) {
    await eachNamed(context, accountId, query.filter.deadLetterIds, change);
    return undefined;
  }
  return eachPage(context, SCOPE, query, {
    read: async (filter: DeadRunFilter, request) => {
      const page = await context.store.reader.deadRuns.list(accountId, filter, request);
      await reserve?.(page.items);
      return page;
    },
    change: async (dead) => {
      await change(dead);
      // The answer for a run is a generated id: small beside what was read.
      return 0;
    },
  });
}

export interface DeadRunWork {
  readonly change: (dead: readonly DeadRun[]) => Promise<void>;
  /** Waits for the memory that the change of a page needs. */
  readonly reserve?: (dead: readonly DeadRun[]) => Promise<void>;
}

/** The existing runs of the given ids, in their order; holds one in memory at a time. */
async function eachNamed(
  { store }: Context,
  accountId: string,
  ids: readonly string[],
  work: (dead: readonly DeadRun[]) => Promise<void>,
): Promise<void> {
  const keys = [...new Set(ids)].map((id) => parseDeadLetterId(accountId, id));
  const named = keys.filter((key) => key !== null);
  for (const key of named) {
    const dead = await store.reader.deadRuns.get(key);
    if (dead !== null) await work([dead]);
  }
}

const SCOPE = "dead-letters";

/** Reports the failure of a run once more, after the report has failed. */
export async function retryReport(
  context: Context,
  accountId: string,
  id: string,
): Promise<RunKey> {
  const { store, clock, ids, bell } = context;
  const dead = await getDeadRun(context, accountId, id);
  const messageId = reportOf(dead, "failed");
  const sent = await store.reader.messages.get({ accountId, messageId });
  if (sent === null) {
    throw new Problem("invalid-request", "dlqId: the failure callback is no longer kept");
  }
  const at = clock.now();
  const newId = ids.sortable("msg_", at);
  const requested: Message = { ...sent.message, messageId: newId, createdAt: at, notBefore: at };
  const { deadLetter: key, state: from } = dead;
  const answer = await store.act({
    rule: "retry-report",
    at,
    key: keyOf(key),
    from: runKeyOf(from),
    requested,
    body: sent.body,
  });
  if (answer === "gone") throw deadLetterNotFound(id);
  if (answer === "refused") throw notInState("failed");
  bell.ring();
  return from;
}

/** Stops reporting the failure of a run. */
export async function cancelReport(
  context: Context,
  accountId: string,
  id: string,
): Promise<RunKey> {
  const { store, clock } = context;
  const dead = await getDeadRun(context, accountId, id);
  const messageId = reportOf(dead, "in-progress");
  const { deadLetter: key, state: from } = dead;
  const at = clock.now();
  const answer = await store.act({
    rule: "cancel-report",
    at,
    key: keyOf(key),
    from: runKeyOf(from),
    messageId,
  });
  if (answer === "gone") throw deadLetterNotFound(id);
  if (answer === "refused") throw notInState("in-progress");
  return from;
}

/** The message of the report, if it is in that state. */
function reportOf({ state }: DeadRun, wanted: "failed" | "in-progress"): string {
  const call = state.failure?.call;
  if (call?.state !== wanted) throw notInState(wanted);
  return call.messageId;
}

function keyOf({ accountId, diedAt, number }: DeadRun["deadLetter"]) {
  return { accountId, diedAt, number };
}

function runKeyOf({ accountId, runId, createdAt }: RunKey): RunKey {
  return { accountId, runId, createdAt };
}

function notInState(wanted: "failed" | "in-progress"): Problem {
  const state = wanted === "failed" ? "CALLBACK_FAIL" : "CALLBACK_INPROGRESS";
  return new Problem("invalid-request", `dlqId: the failure callback is not in state ${state}`);
}
