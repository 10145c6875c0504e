import type { Run, RunRef } from "../../core/model/workflow/run.ts";
import { Problem } from "../../core/problem.ts";
import { readWorkflowHeaders } from "../../wire/workflow/workflow-headers.ts";
import type { Context } from "../context.ts";
import { readSubmission, submit } from "./submissions.ts";

/** A delivery of a run to the workflow that dev itself serves. */
interface SampleDelivery {
  readonly ref: RunRef;
  /** How the run's URL ends, so that no other run gets a step from here. */
  readonly path: string;
  /** How many entries the run has: its payload, then one for each step that is done. */
  readonly entries: number;
  readonly isRetry: boolean;
  readonly callerIp: string;
}

/** What the endpoint answers: a step, the end of the run, a failure, or that a step was submitted. */
export type SampleAnswer =
  | {
      readonly kind: "reply";
      readonly reply: { readonly steps: readonly string[] } | { readonly result: string };
    }
  | { readonly kind: "failed"; readonly stepName: string; readonly message: string }
  | { readonly kind: "submitted" };

/** Does the next step of a small order: one that fails at first, and a sleep, are among them. */
export async function doSampleStep(
  context: Context,
  { ref, path, entries, isRetry, callerIp }: SampleDelivery,
): Promise<SampleAnswer> {
  const run = await findRun(context, ref, path);
  switch (entries) {
    case 1:
      return done({ ...step(1, "load order"), out: ORDER });
    case 2:
      if (!isRetry) return { kind: "failed", stepName: CHARGE, message: BUSY };
      return done({ ...step(2, CHARGE), out: { charged: ORDER.total } });
    case 3:
      await sleep(context, run, callerIp);
      return { kind: "submitted" };
    case 4:
      return done({ ...step(4, "send mail"), out: "sent" });
    default:
      return { kind: "reply", reply: { result: JSON.stringify({ ...ORDER, mail: "sent" }) } };
  }
}

async function findRun({ store }: Context, ref: RunRef, path: string): Promise<Run> {
  const run = (await store.reader.runs.get(ref))?.state.run;
  if (run !== undefined && URL.parse(run.workflowUrl)?.pathname === path) return run;
  throw new Problem("not-found", "no run of the sample workflow has this id");
}

/** A reply is due at once, and so a sleep is submitted. */
async function sleep(context: Context, run: Run, callerIp: string): Promise<void> {
  const { accountId, runId, createdAt, workflowUrl: url } = run;
  const account = await context.store.reader.accounts.get(accountId);
  if (account === null) throw new Problem("not-found", "this account does not exist");
  const at = context.clock.now();
  const headers = {
    "Svc-Workflow-RunId": runId,
    "Svc-Workflow-CreatedAt": String(createdAt),
    "Svc-Delay": `${SLEEP_SECONDS}s`,
  };
  const rawHeaders = Object.entries(headers).flat();
  const record = { ...step(3, "cool off", "SleepFor"), sleepFor: SLEEP_SECONDS };
  const request = { account, url, rawHeaders, aliases: [], callerIp, at };
  const submission = readSubmission(context, {
    ...request,
    workflow: readWorkflowHeaders(rawHeaders)!,
    body: new TextEncoder().encode(JSON.stringify(record)),
  });
  await submit(context, account, [submission], at);
}

function step(stepId: number, stepName: string, stepType = "Run") {
  return { stepId, stepName, stepType, concurrent: 1 };
}

function done({
  out,
  ...record
}: ReturnType<typeof step> & { readonly out: unknown }): SampleAnswer {
  const text = JSON.stringify({ ...record, out: JSON.stringify(out) });
  return { kind: "reply", reply: { steps: [text] } };
}

const ORDER = { order: "A-10492", total: 84.9 };
const CHARGE = "charge card";
const BUSY = "the card terminal is busy; the next attempt succeeds";
const SLEEP_SECONDS = 5;
