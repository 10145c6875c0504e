/** A workflow with every kind of step, written so that either SDK can run it. */

export interface Webhook {
  readonly webhookUrl: string;
  readonly eventId: string;
}

/** What the contexts of both SDKs have in common, as far as it is used here. */
export interface Steps {
  readonly workflowRunId: string;
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  sleep(name: string, seconds: number): Promise<void>;
  sleepUntil(name: string, at: Date): Promise<void>;
  call(
    name: string,
    request: { url: string; method: "POST"; body: string },
  ): Promise<{ readonly body: unknown }>;
  waitForEvent(
    name: string,
    eventId: string,
    options: { timeout: number },
  ): Promise<{ readonly eventData?: unknown; readonly timeout: boolean }>;
  notify(name: string, eventId: string, data: unknown, runId: string): Promise<unknown>;
  createWebhook(name: string): Promise<Webhook>;
}

/** What the SDKs write differently. */
export interface OwnWays {
  readonly hooked: (
    name: string,
    webhook: Webhook,
    timeout: `${bigint}s`,
  ) => Promise<{ readonly request?: Request | undefined }>;
  readonly invoke: (name: string, body: ChildPayload) => Promise<{ readonly body: unknown }>;
}

export interface ChildPayload {
  readonly parentRunId: string;
}

/** A service outside, which answers calls, is told the webhook, and notes which work was done. */
export type Outside = string;

export async function parent(steps: Steps, own: OwnWays, outside: Outside): Promise<unknown> {
  const { workflowRunId: runId } = steps;
  const work = <Result>(name: string, result: Result): Promise<Result> =>
    steps.run(name, () => does(outside, runId, name, result));
  const ran = await work("run", "ran");
  await steps.sleep("sleep", 0.02);
  await steps.sleepUntil("sleep until", new Date(0));
  const [left, right, beside, late] = await Promise.all([
    work("left", 1),
    work("right", 2).then((two) => work("right again", two + 1)),
    steps.call("call beside", {
      url: `${outside}/beside`,
      method: "POST",
      body: JSON.stringify({ runId }),
    }),
    steps.waitForEvent("late", `late-${runId}`, { timeout: 0.1 }),
    steps.waitForEvent("raced", `raced-${runId}`, { timeout: RACE_TIMEOUT }),
    steps.sleep("sleep beside", 0.05),
  ]);
  const joined = await work("join", left + right);
  const told = await steps.waitForEvent("told", `told-${runId}`, { timeout: AN_HOUR });
  const webhook = await steps.createWebhook("webhook");
  const given = JSON.stringify({ runId, webhookUrl: webhook.webhookUrl });
  await steps.call("call", { url: `${outside}/webhook`, method: "POST", body: given });
  const { request } = await own.hooked("hooked", webhook, "3600s");
  const [heard, invoked] = await Promise.all([
    steps.waitForEvent("heard", HEARD, { timeout: AN_HOUR }),
    own.invoke("invoke", { parentRunId: runId }),
  ]);
  return {
    ran,
    joined,
    beside: beside.body,
    late: late.timeout,
    told: told.eventData,
    hooked: await request?.text(),
    heard: heard.eventData,
    invoked: invoked.body,
  };
}

/** The run that the other one invokes: it tells it something, and returns. */
export async function child(
  steps: Steps,
  { parentRunId }: ChildPayload,
  outside: Outside,
): Promise<unknown> {
  const { workflowRunId: runId } = steps;
  const worked = await steps.run("work", () => does(outside, runId, "work", "worked"));
  // Kept for the parent when it does not wait yet.
  await steps.notify("notify", HEARD, { from: "child" }, parentRunId);
  return { worked };
}

/** What a run of the parent comes to, whatever happened on the way. */
export const RESULT = {
  ran: "ran",
  joined: 4,
  beside: { answer: "beside" },
  late: true,
  told: { told: true },
  hooked: "called",
  heard: { from: "child" },
  invoked: { worked: "worked" },
};

/** Its log: each step once, and each group joined once. */
export const STEPS = [
  "sequential: Initial init",
  "sequential: Run run",
  "sequential: SleepFor sleep",
  "sequential: SleepUntil sleep until",
  "parallel: Run left, Run right, Call call beside, Wait late, Wait raced, SleepFor sleep beside",
  "sequential: Run right again",
  "sequential: Run join",
  "sequential: Wait told",
  "sequential: CreateWebhook webhook",
  "sequential: Call call",
  "sequential: WaitForWebhook hooked",
  "parallel: Wait heard, Invoke invoke",
];
export const CHILD_STEPS = [
  "sequential: Initial init",
  "sequential: Run work",
  "sequential: Notify notify",
];

/** What is stored of it: its webhook, plans (p), steps that were opened (o) and results (r), by the number of the step. */
export const ENTRIES = [
  "payload",
  "callback",
  "callback",
  "hook",
  ...range(4, 9).map((step) => `p:${step}`),
  ...[16, 17].map((step) => `p:${step}`),
  ...[6, 7, 8, 12, 14, 15, 16, 17].map((step) => `o:${step}`),
  ...range(1, 17).map((step) => `r:${step}`),
];
export const CHILD_ENTRIES = ["payload", "r:1", "r:2"];

/** Seconds. */
const RACE_TIMEOUT = 0.2;
const AN_HOUR = 3_600;
const HEARD = "heard";

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** Does some work, which the service outside notes. */
export async function does<Result>(
  outside: Outside,
  runId: string,
  name: string,
  result: Result,
): Promise<Result> {
  await fetch(`${outside}/did`, { method: "POST", body: JSON.stringify({ runId, name }) });
  return result;
}
