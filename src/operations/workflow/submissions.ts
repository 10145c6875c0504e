import type { AppendItem } from "../../core/rules/workflow/append.ts";
import { type Refused, stepBytesMax } from "../../core/rules/workflow/run-entries.ts";
import type { Submitted } from "../../core/rules/workflow/run-message.ts";
import type { RunRef } from "../../core/model/workflow/run.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { HeaderList } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { Problem } from "../../core/problem.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import {
  asStepError,
  callKey,
  readCalledStep,
  readSubmittedStep,
} from "../../wire/workflow/step.ts";
import { headerOf, type WorkflowHeaders } from "../../wire/workflow/workflow-headers.ts";
import type { Context } from "../context.ts";
import { handOver, storeReserved } from "../hand-over.ts";
import { outcomeOf, reserveSlot } from "./run-hand-over.ts";
import { requestedMessage } from "./run-message.ts";

const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

/** A publish with the headers of a run. */
export interface WorkflowRequest {
  readonly account: Account;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly aliases: HeaderList;
  readonly workflow: WorkflowHeaders;
  readonly body: Uint8Array;
  readonly callerIp: string;
  readonly at: Instant;
}

/** The largest body of a publish; null for one that belongs to no run. */
export function bodyBytesMax({ limits }: Account, workflow: WorkflowHeaders | null): number {
  const isStep = workflow !== null && !workflow.isInit && !workflow.isCall;
  return isStep ? stepBytesMax(limits) : limits.messageBytesMax;
}

export interface Submission extends RunRef {
  readonly item: Omit<AppendItem, "nodeId">;
}

/** Reads a submission: a step's result, a plan, or a call to a third party. */
export function readSubmission(context: Context, request: WorkflowRequest): Submission {
  return asStepError(() => {
    const { account, workflow } = request;
    const { runId, createdAt } = workflow;
    const item = workflow.isCall ? readCall(context, request) : readResult(context, request);
    return { accountId: account.accountId, runId, createdAt, item };
  });
}

function readResult(context: Context, request: WorkflowRequest): Submission["item"] {
  const { kind, stepKey, hookId, sleepUntil } = readSubmittedStep(request.body);
  const options = wokenAt(optionsOf(request), sleepUntil);
  const requested = requestedMessage(context, { ...request, options });
  return { kind, stepKey, hookId, body: request.body, callBody: NOTHING, requested };
}

function readCall(context: Context, request: WorkflowRequest): Submission["item"] {
  const options = optionsOf(request);
  const { callback } = options.settings;
  if (callback === undefined) {
    throw new Problem("invalid-step", "Callback: must say where the call's result is to go");
  }
  const step = readCalledStep((suffix) => headerOf(callback.headers, suffix));
  const method = options.method ?? "GET";
  const requested = requestedMessage(context, {
    ...request,
    options: { ...options, method },
    retriesDefault: 0,
  });
  const body = encoder.encode(JSON.stringify(step));
  return { kind: "call", stepKey: callKey(step), body, callBody: request.body, requested };
}

/** The header that names the run names the dialect too. */
function optionsOf({ rawHeaders, aliases }: WorkflowRequest): PublishOptions {
  return readPublishOptions(rawHeaders, aliases, { call: "step" });
}

/** The public SDK rounds Not-Before to the nearest second, and so to one before the sleep is over. */
function wokenAt(options: PublishOptions, sleepUntil: Instant | undefined): PublishOptions {
  const { notBefore } = options;
  if (notBefore === undefined || sleepUntil === undefined) return options;
  const earlyMs = sleepUntil - notBefore;
  return earlyMs > 0 && earlyMs < 1_000 ? { ...options, notBefore: sleepUntil } : options;
}

/** Stores the submissions to one run, all of them or none, and sends those that are due. */
export async function submit(
  context: Context,
  account: Account,
  submissions: readonly Submission[],
  at: Instant,
): Promise<readonly Submitted[]> {
  const [first] = submissions;
  if (first === undefined) return [];
  const { accountId, runId, createdAt } = first;
  const slots = submissions.map(({ item }) => reserveSlot(context, account, item.requested));
  const items = submissions.map(({ item }, index) => ({
    ...item,
    nodeId: slots[index]?.nodeId ?? null,
  }));
  const ref = { accountId, runId, createdAt };
  const answer = await storeReserved(slots, () =>
    context.store.act({ rule: "append", at, ref, items }),
  );
  const submitted = answer.kind === "appended" ? answer.items : [];
  const outcomes = submitted.map((stored, index) => {
    const { item } = submissions[index]!;
    return outcomeOf(context, stored, item.requested, item);
  });
  handOver(context, slots, outcomes);
  if (answer.kind !== "appended") throw refused(answer);
  return submitted;
}

/** What is said of a run that takes nothing more. */
export function refused(answer: Refused): Problem {
  return answer.kind === "ended"
    ? new Problem("run-ended", RUN_ENDED)
    : new Problem("quota-exceeded", `the run has more ${answer.what} than a run may have`);
}

/** Clients compare this text. */
const RUN_ENDED = "failed to publish to url: can not append to a a cancelled workflow";
