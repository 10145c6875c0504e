import { type DeadLetterKey, parseDeadLetterId } from "../../core/model/message/dead-letter.ts";
import type { DeadRun, DeadRunFilter } from "../../core/model/workflow/dead-run.ts";
import { Problem } from "../../core/problem.ts";
import type { BulkQuery } from "../../wire/filters/filters.ts";
import type { Context } from "../context.ts";
import {
  type DeadWork,
  deadLetterNotFound,
  eachDead,
  getDead,
  removeEach,
  removeLetters,
} from "../dead-pages.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { RunKey } from "../../core/model/workflow/run.ts";

export async function removeDeadRun(
  context: Context,
  accountId: string,
  id: string,
): Promise<void> {
  const { deadLetter } = await getDead(context, "deadRuns", accountId, id);
  if ((await removeLetters(context, [deadLetter])) === 0) throw deadLetterNotFound(id);
}

/** Removes all matching failed runs, or `count` of them. Unknown ids are skipped. */
export async function removeDeadRuns(
  context: Context,
  accountId: string,
  query: BulkQuery<DeadRunFilter>,
): ReturnType<typeof removeEach> {
  return removeEach(context, (work) => eachDeadRun(context, accountId, query, work));
}

/** Works through the matching failed runs, newest first, and returns where to continue. */
export async function eachDeadRun(
  context: Context,
  accountId: string,
  query: BulkQuery<DeadRunFilter>,
  work: DeadWork<DeadRun>,
): Promise<string | undefined> {
  if (query.filter.deadLetterIds !== undefined) {
    await eachNamed(context, accountId, query.filter.deadLetterIds, work.change);
    return undefined;
  }
  return eachDead(context, "deadRuns", accountId, query, work);
}

/** The existing runs of the given ids, in their order; holds one in memory at a time. */
async function eachNamed(
  { store }: Context,
  accountId: string,
  ids: readonly string[],
  change: DeadWork<DeadRun>["change"],
): Promise<void> {
  const keys = [...new Set(ids)].map((id) => parseDeadLetterId(accountId, id));
  const named = keys.filter((key) => key !== null);
  for (const key of named) {
    const dead = await store.reader.deadRuns.get(key);
    if (dead !== null) await change([dead]);
  }
}

export function retryReport(context: Context, accountId: string, id: string): Promise<RunKey> {
  const { store, clock, ids, bell } = context;
  return changeReport(context, accountId, id, "failed", async (ofRun, reportId) => {
    const sent = await store.reader.messages.get({ accountId, messageId: reportId });
    if (sent === null) {
      throw new Problem("invalid-request", "dlqId: the failure callback is no longer kept");
    }
    const { message, body } = sent;
    const at = clock.now();
    const messageId = ids.sortable("msg_", at);
    const requested: Message = { ...message, messageId, createdAt: at, notBefore: at };
    const answer = await store.act({ rule: "retry-report", at, ...ofRun, requested, body });
    if (answer === "done") bell.ring();
    return answer;
  });
}

export function cancelReport(context: Context, accountId: string, id: string): Promise<RunKey> {
  const { store, clock } = context;
  return changeReport(context, accountId, id, "in-progress", (ofRun, messageId) =>
    store.act({ rule: "cancel-report", at: clock.now(), ...ofRun, messageId }),
  );
}

/** Refused unless the message of the report is in that state, also when the act finds it. */
async function changeReport(
  context: Context,
  accountId: string,
  id: string,
  wanted: "failed" | "in-progress",
  change: (
    ofRun: { readonly key: DeadLetterKey; readonly from: RunKey },
    messageId: string,
  ) => Promise<"done" | "gone" | "refused">,
): Promise<RunKey> {
  const { deadLetter, state } = await getDead(context, "deadRuns", accountId, id);
  const { diedAt, number } = deadLetter;
  const { runId, createdAt, failure } = state;
  const call = failure?.call;
  const ofRun = { key: { accountId, diedAt, number }, from: { accountId, runId, createdAt } };
  const answer = call?.state === wanted ? await change(ofRun, call.messageId) : "refused";
  if (answer === "gone") throw deadLetterNotFound(id);
  if (answer === "done") return state;
  const name = wanted === "failed" ? "CALLBACK_FAIL" : "CALLBACK_INPROGRESS";
  throw new Problem("invalid-request", `dlqId: the failure callback is not in state ${name}`);
}
