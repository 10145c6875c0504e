/** The function of the workflows that are proved, which both SDKs serve. */
import { eventName, type RunPlan, type StepPlan, stepName } from "./plan.ts";

/** What the contexts of both SDKs have in common. */
export interface StepContext {
  readonly workflowRunId: string;
  readonly retried: number;
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  sleep(name: string, seconds: number): Promise<void>;
  call(name: string, request: CallRequest): Promise<{ status: number; body: unknown }>;
  waitForEvent(
    name: string,
    eventId: string,
    options: { timeout: `${bigint}${"s" | "h"}` },
  ): Promise<{ timeout: boolean; eventData?: unknown }>;
  cancel(): Promise<unknown>;
}

interface CallRequest {
  readonly url: string;
  readonly retries: number;
  readonly retryDelay: string;
}

/** Every run begins with this step. */
export const FIRST_STEP = "begin";

export interface ChildPayload {
  readonly value: number;
  readonly fails: boolean;
}

/** What differs between the SDKs, and what the endpoint knows. */
export interface Surroundings {
  /** Who answers calls. */
  readonly outside: string;
  readonly invoke: (
    name: string,
    payload: ChildPayload,
  ) => Promise<{ body: unknown; isFailed?: boolean }>;
  /** An error that need not be tried again. */
  readonly final: (message: string) => Error;
  /** Told whenever work is done. */
  readonly onWork: (name: string) => void;
}

/** What the steps came to, in their order. */
export async function perform(
  context: StepContext,
  plan: RunPlan,
  surroundings: Surroundings,
): Promise<unknown[]> {
  // The public SDK calls the function with the result of a call, too, and stops it at its first step.
  await context.run(FIRST_STEP, () => Promise.resolve());
  const values: unknown[] = [];
  for (const [stageIndex, stage] of plan.stages.entries()) {
    const steps = stage.map((step, index) =>
      take(context, step, stepName(stageIndex, index), surroundings),
    );
    values.push(...(steps.length === 1 ? [await steps[0]] : await Promise.all(steps)));
  }
  await end(context, plan, surroundings);
  return values;
}

async function take(
  context: StepContext,
  step: StepPlan,
  name: string,
  { outside, invoke, onWork }: Surroundings,
): Promise<unknown> {
  const runId = context.workflowRunId;
  switch (step.kind) {
    case "work":
      return context.run(name, async () => {
        onWork(name);
        await pause(Math.random() * 20);
        if (step.stumbles && context.retried === 0) throw new Error("not at the first time");
        return step.value;
      });
    case "sleep":
      await context.sleep(name, 1);
      return "slept";
    case "call": {
      const url = `${outside}/${runId}/${name}/${step.value}/${step.refusals}`;
      return (await context.call(name, { url, retries: 5, retryDelay: "100" })).body;
    }
    case "event":
      return heard(await context.waitForEvent(name, eventName({ runId }, name), LONG));
    case "lapse":
    case "race":
      return heard(await context.waitForEvent(name, eventName({ runId }, name), SHORT));
    case "invoke": {
      const { body, isFailed } = await invoke(name, step);
      return isFailed === true ? "failed" : body;
    }
  }
}

async function end(
  context: StepContext,
  { ending, runId }: RunPlan,
  { final }: Surroundings,
): Promise<void> {
  if (ending === "throws") await context.run("end", () => Promise.reject(new Error("as planned")));
  if (ending === "gives-up") await context.run("end", () => Promise.reject(final("as planned")));
  if (ending === "cancels-itself") await context.cancel();
  if (ending === "is-canceled") await context.waitForEvent("end", eventName({ runId }, "x"), LONG);
}

/** The workflow that others invoke. */
export async function performChild(
  context: StepContext,
  { value, fails }: ChildPayload,
  { final }: Pick<Surroundings, "final">,
): Promise<number> {
  const doubled = await context.run("double", () => Promise.resolve(value * 2));
  if (fails) await context.run("end", () => Promise.reject(final("as planned")));
  return context.run("add", () => Promise.resolve(doubled + 1));
}

export const childResult = ({ value }: { readonly value: number }): number => value * 2 + 1;

function heard({ timeout, eventData }: { timeout: boolean; eventData?: unknown }): unknown {
  return timeout ? "timed out" : eventData;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

const LONG = { timeout: "1h" } as const;
const SHORT = { timeout: "2s" } as const;
