import type { Instant } from "../../core/model/time.ts";
import { Problem } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { readInvoke, readStart, restartFirstStep, type RunStart, startRun } from "./start-run.ts";
import { readSubmission, type Submission, submit, type WorkflowRequest } from "./submissions.ts";

/** What a publish means to a workflow. */
export type WorkflowMessage =
  | { readonly kind: "start"; readonly start: RunStart; readonly isBySdk: boolean }
  | { readonly kind: "submission"; readonly submission: Submission };

export type WorkflowAnswer =
  | { readonly messageId: string; readonly deduplicated: boolean }
  | { readonly problem: Problem };

export function readWorkflowMessage(context: Context, request: WorkflowRequest): WorkflowMessage {
  const { isInit, isInvoke, isBySdk } = request.workflow;
  if (!isInit) return { kind: "submission", submission: readSubmission(context, request) };
  const start = isInvoke ? readInvoke(context, request) : readStart(context, request);
  return { kind: "start", start, isBySdk };
}

/** Handles several of them. Those of one run are stored together, all of them or none. */
export async function actOnWorkflow(
  context: Context,
  account: WorkflowRequest["account"],
  messages: readonly WorkflowMessage[],
  at: Instant,
): Promise<readonly WorkflowAnswer[]> {
  const answers = new Map<WorkflowMessage, WorkflowAnswer>();
  const byRun = Map.groupBy(messages, runOf);
  await Promise.all(
    [...byRun.values()].map(async (ofRun) => {
      const found = await actOnRun(context, account, ofRun, at);
      for (const [index, message] of ofRun.entries()) answers.set(message, found[index]!);
    }),
  );
  return messages.map((message) => answers.get(message)!);
}

/** In one batch a run is started first, whatever else is submitted to it. */
async function actOnRun(
  context: Context,
  account: WorkflowRequest["account"],
  messages: readonly WorkflowMessage[],
  at: Instant,
): Promise<readonly WorkflowAnswer[]> {
  const started = new Map<WorkflowMessage, WorkflowAnswer>();
  for (const message of messages) {
    if (message.kind !== "start") continue;
    const start = message.isBySdk ? restartFirstStep : startRun;
    started.set(message, await orEnded(() => start(context, message.start)));
  }
  const submissions = messages.flatMap((one) => (one.kind === "start" ? [] : [one.submission]));
  const submitted = await orEnded(() => submit(context, account, submissions, at));
  let index = 0;
  return messages.map((message) => {
    const answer = started.get(message);
    if (answer !== undefined) return answer;
    return "problem" in submitted ? submitted : submitted[index++]!;
  });
}

/** An ended run is an answer for its item; any other refusal is one of the whole request. */
async function orEnded<Value extends object>(
  act: () => Promise<Value>,
): Promise<Value | { readonly problem: Problem }> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Problem && error.kind === "run-ended") return { problem: error };
    throw error;
  }
}

function runOf(message: WorkflowMessage): string {
  return message.kind === "start" ? message.start.run.runId : message.submission.runId;
}
