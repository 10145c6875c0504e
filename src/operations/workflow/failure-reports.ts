import type { DeadRun } from "../../core/model/workflow/dead-run.ts";
import type { Message } from "../../core/model/message/message.ts";
import type { RunKey } from "../../core/model/workflow/run.ts";
import { Problem } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { deadRunNotFound, getDeadRun } from "./dead-runs.ts";

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
  if (answer === "gone") throw deadRunNotFound(id);
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
  if (answer === "gone") throw deadRunNotFound(id);
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
