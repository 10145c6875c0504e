/** Replays the recorded steps of a run against the code of the developer, delivery by delivery. */
import type { Run, StepGroup, StepLog } from "../../../sdk/src/answers/workflow.ts";
import type { Outcome } from "../../core/model/message/attempt.ts";
import { withEitherPrefix } from "../../core/model/message/dialect.ts";
import type { Step } from "../../core/model/workflow/run.ts";
import { entryList, type ListedEntry } from "../../core/rules/workflow/run-entries.ts";
import type { ReplayServer, Submitted } from "./replay-server.ts";
import { headerList, outcomeText, type ReplayTarget } from "./replay-target.ts";

/** Where the code is, and what stands in for its server, if its port was free. */
export interface ReplayPlace {
  readonly target: ReplayTarget;
  readonly server: ReplayServer | null;
}

export interface ReplayedStep {
  /** Of the recorded run; 0 for its end. */
  readonly stepId: number;
  readonly recorded: string;
  readonly answered: string;
  /** "untold": the code has submitted this step to another server. */
  readonly verdict: "same" | "differs" | "untold";
}

type Answered =
  | { readonly kind: "steps"; readonly steps: readonly Step[] }
  | { readonly kind: "result" }
  | { readonly kind: "cancel" }
  | { readonly kind: "untold" }
  | { readonly kind: "failed"; readonly text: string };

/** Yields each recorded step with what the code answers in its place, until they differ. */
export async function* replayRun(
  run: Run,
  payload: string,
  place: ReplayPlace,
): AsyncGenerator<ReplayedStep, void> {
  const [first, ...groups] = run.steps;
  const history: ListedEntry[] = [
    { kind: "payload", messageId: idOf(first), body: Buffer.from(payload) },
  ];
  const ask = (entries: readonly ListedEntry[]) => askFor(run, entries, place);
  for (const group of groups) {
    const steps = group.steps.filter(({ stepType }) => stepType !== undefined);
    if (steps.length === 0) break;
    const replayed = judged(steps, await ask(history));
    const isDifferent = replayed.some(({ verdict }) => verdict === "differs");
    const plans = steps.length > 1 ? steps.map(planOf) : [];
    // Steps that were only planned come again when they are done.
    if (isDifferent || plans.length === 0) yield* replayed;
    if (isDifferent) return;
    for (const [index, step] of plans.length === 0 ? [] : steps.entries()) {
      const [one] = judged([step], await ask([...history, ...plans.slice(0, index + 1)]));
      yield one!;
      if (one!.verdict === "differs") return;
    }
    if (steps.some(({ state, out, stepType }) => isOpen(state) || isLost(out, stepType))) return;
    history.push(...plans, ...steps.map(resultOf));
  }
  // A run may have been canceled between two steps, whatever its code does next.
  const { workflowState } = run;
  if (workflowState === "RUN_SUCCESS" || workflowState === "RUN_FAILED") {
    yield ended(run, await ask(history));
  }
}

/** A step whose result is not in the file: nothing can follow it. */
export function lostStep({ steps }: Run): StepLog | undefined {
  return steps
    .slice(1)
    .flatMap((group) => group.steps)
    .find(({ state, out, stepType }) => !isOpen(state) && isLost(out, stepType));
}

const isOpen = (state: string): boolean => state !== "STEP_SUCCESS";

/** Only these steps may have no result. */
function isLost(out: string | undefined, stepType: string | undefined): boolean {
  return out === undefined && stepType === "CreateWebhook";
}

async function askFor(
  run: Run,
  entries: readonly ListedEntry[],
  { target, server }: ReplayPlace,
): Promise<Answered> {
  const { workflowRunId: runId, workflowRunCreatedAt: createdAt, workflowRunCallerIp } = run;
  const position = { runId, createdAt, workflowUrl: target.url, ordinal: entries.length - 1 };
  const message = {
    messageId: entries.at(-1)!.messageId,
    kind: "step",
    method: "POST",
    headers: headerList(run.steps[0]?.steps[0]?.headers),
    callerIp: workflowRunCallerIp,
    createdAt,
    run: position,
  } as const;
  const outcome = await target.send(message, entryList(entries));
  return answerOf(outcome, server?.take() ?? NOTHING);
}

/** A step is in the answer of the code, or was submitted before it. */
function answerOf(outcome: Outcome, submitted: Submitted): Answered {
  if (outcome.kind === "no-answer") return { kind: "failed", text: outcome.error };
  const body = Buffer.from(outcome.body).toString();
  if (outcome.status >= 300) {
    return { kind: "failed", text: `${outcomeText(outcome)}: ${body.slice(0, SHOWN_MAX)}` };
  }
  const { steps, end } = submitted;
  if (end !== undefined) return { kind: end };
  if (steps.length > 0) return { kind: "steps", steps };
  const isReply = outcome.headers.some(([name]) => REPLY.includes(name.toLowerCase()));
  if (!isReply) return { kind: "untold" };
  const reply = JSON.parse(body) as { steps?: readonly string[] };
  if (reply.steps === undefined) return { kind: "result" };
  return { kind: "steps", steps: reply.steps.map((step) => JSON.parse(step) as Step) };
}

/** The recorded steps beside what the code calls in their place. */
function judged(steps: readonly StepLog[], answered: Answered): ReplayedStep[] {
  return steps.map((step, index) => {
    const recorded = `${step.stepType} ${step.stepName}`;
    const row = { stepId: step.stepId ?? 0, recorded };
    if (answered.kind === "untold") return { ...row, answered: UNTOLD, verdict: "untold" };
    if (answered.kind === "failed") {
      // A step that was not compared is compared by the SDK, with the next one.
      const [, named] = NAMED_STEP.exec(answered.text) ?? [];
      const stepId = named === undefined ? row.stepId : Number(named);
      const isSame = step.state === "STEP_FAILED" && named === undefined;
      return { ...row, stepId, answered: answered.text, verdict: isSame ? "same" : "differs" };
    }
    if (answered.kind !== "steps") {
      return { ...row, answered: ENDS[answered.kind], verdict: "differs" };
    }
    const own = answered.steps.find((one) => idIn(one) === step.stepId) ?? answered.steps[index];
    if (own === undefined) return { ...row, answered: "no step", verdict: "differs" };
    const isSame =
      own.stepName === step.stepName &&
      own.stepType === step.stepType &&
      idIn(own) === step.stepId &&
      own.concurrent === (step.concurrent ?? 1);
    const atOnce = own.concurrent === (step.concurrent ?? 1) ? "" : `, ${own.concurrent} at once`;
    const answer = `${own.stepType} ${own.stepName}${atOnce}`;
    return { ...row, answered: answer, verdict: isSame ? "same" : "differs" };
  });
}

function idIn({ stepId, targetStep }: Step): number {
  return targetStep ?? stepId;
}

function ended({ workflowState }: Run, answered: Answered): ReplayedStep {
  const row = { stepId: 0, recorded: `the end, ${workflowState}` };
  if (answered.kind === "untold") return { ...row, answered: UNTOLD, verdict: "untold" };
  const isSame = workflowState === (answered.kind === "failed" ? "RUN_FAILED" : "RUN_SUCCESS");
  const verdict = isSame ? "same" : "differs";
  if (answered.kind === "failed") return { ...row, answered: answered.text, verdict };
  if (answered.kind === "result") return { ...row, answered: ENDS.result, verdict };
  if (answered.kind === "cancel") return { ...row, answered: ENDS.cancel, verdict: "differs" };
  const names = answered.steps.map(({ stepType, stepName }) => `${stepType} ${stepName}`);
  return { ...row, answered: names.join(", "), verdict: "differs" };
}

const idOf = (group: StepGroup | undefined): string => group?.steps[0]?.messageId ?? "msg_replay";

function planOf(step: StepLog): ListedEntry {
  const { stepId: targetStep, stepName, stepType, concurrent } = step;
  const plan = { stepId: 0, stepName, stepType, concurrent, targetStep };
  return { kind: "plan", messageId: `${step.messageId}_plan`, body: jsonBytes(plan) };
}

function resultOf(step: StepLog): ListedEntry {
  const { stepId, stepName, stepType, concurrent, waitEventId, waitTimeout } = step;
  const isEvent = stepType === "Wait" || stepType === "WaitForWebhook";
  // The log shows an event as text; an endpoint gets it in base64.
  const out =
    isEvent && step.out !== undefined ? Buffer.from(step.out).toString("base64") : step.out;
  const record = { stepId, stepName, stepType, concurrent, out, waitEventId, waitTimeout };
  return { kind: "result", messageId: step.messageId, body: jsonBytes(record) };
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

const NOTHING: Submitted = { steps: [] };
const UNTOLD = "submitted to another server";
const ENDS = { result: "the end", cancel: "it cancels the run" };
const REPLY = withEitherPrefix("workflow-reply");
const NAMED_STEP = /step (\d+) (?:of the run is recorded|on the run has recorded)/;
const SHOWN_MAX = 500;
