import { setTimeout as wait } from "node:timers/promises";

import { TOKEN } from "../prove/service-process.ts";
import type { Sdk } from "./endpoint-process.ts";
import type { Outside } from "./outside.ts";
import type { LoggedRun } from "./run-verdict.ts";

export interface JourneyOptions {
  readonly runId: string;
  readonly sdk: Sdk;
  readonly workflowUrl: string;
  /** Where the service is, while it is. */
  readonly service: string;
  readonly outside: Outside;
  /** Whether nothing is stored any more that could move a run. */
  readonly isStuck: () => Promise<boolean>;
}

export interface Journey {
  readonly run: LoggedRun;
  /** An event was brought to the wait that it raced against. */
  readonly wasRaceTold: boolean;
}

/** What a step's endpoint may be gone for, and the service may take to come back. */
const RETRYING = { Retries: "10", "Retry-Delay": "200 * (1 + retried)" };
export const PATIENCE_MS = 180_000;
export const LOOK_EVERY_MS = 50;
/** Every so many looks, it is asked whether the run can still move. */
const STUCK_EVERY = 20;
/** When the event of the race is sent, so that it meets the deadline of the wait. */
const RACE_AFTER_MS = 150;
const RACE_SPREAD_MS = 100;

/** Starts a run, and does as its client and its surroundings would until it ends, repeating what got no answer. */
export async function travel(options: JourneyOptions): Promise<Journey> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await trigger(options))) {
    if (performance.now() > giveUpAt) throw new Error("the run could not be started");
    await wait(LOOK_EVERY_MS);
  }
  const surroundings = new Surroundings(options);
  for (let looks = 1; ; looks++) {
    const run = await loggedRun(options.service, options.runId);
    if (run !== null && run.workflowState !== "RUN_STARTED") {
      return { run, wasRaceTold: surroundings.wasRaceTold };
    }
    const isStuck = looks % STUCK_EVERY === 0 && (await options.isStuck());
    if (isStuck || performance.now() > giveUpAt) {
      throw new Error(`the run is stuck: ${JSON.stringify(run, null, 1)}`);
    }
    await surroundings.act();
    await wait(LOOK_EVERY_MS);
  }
}

/** What happens outside while a run is under way. */
class Surroundings {
  readonly #options: JourneyOptions;
  readonly #raceAfterMs = RACE_AFTER_MS + Math.random() * RACE_SPREAD_MS;
  #isHooked = false;
  wasRaceTold = false;

  constructor(options: JourneyOptions) {
    this.#options = options;
  }

  async act(): Promise<void> {
    const { runId, outside, service } = this.#options;
    await ask(`${service}/v2/notify/told-${runId}`, { body: '{"told":true}' });
    const besideAt = outside.besideAt.get(runId) ?? Infinity;
    if (performance.now() > besideAt + this.#raceAfterMs) {
      const answer = await ask(`${service}/v2/notify/raced-${runId}`, { body: "{}" });
      const waiters = answer?.ok === true ? ((await answer.json()) as unknown[]) : [];
      if (waiters.length > 0) this.wasRaceTold = true;
    }
    const webhookUrl = outside.webhookUrls.get(runId);
    if (webhookUrl !== undefined && !this.#isHooked) {
      this.#isHooked = (await ask(webhookUrl, { body: "called" }))?.ok === true;
    }
  }
}

async function trigger({ service, workflowUrl, runId, sdk }: JourneyOptions): Promise<boolean> {
  const headers = prefixed(sdk, { ...RETRYING, "Workflow-RunId": runId });
  const answer = await ask(`${service}/v2/trigger/${workflowUrl}`, { headers, body: "{}" });
  return answer?.ok ?? false;
}

/** Headers in the dialect that an SDK speaks. */
export function prefixed(
  sdk: Sdk,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const prefix = sdk === "upstash" ? "Upstash" : "Svc";
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`${prefix}-${name}`, value]),
  );
}

/** A run as the log shows it, with everything that its steps came to. */
export async function loggedRun(service: string, runId: string): Promise<LoggedRun | null> {
  const query = `groupBy=workflowRunId&workflowRunId=${encodeURIComponent(runId)}`;
  const answer = await ask(`${service}/v2/workflows/events?${query}`, { method: "GET" });
  if (answer?.ok !== true) return null;
  const { runs } = (await answer.json()) as { runs: LoggedRun[] };
  if (runs.length > 1) throw new Error(`${runs.length} runs have the id ${runId}`);
  return runs[0] ?? null;
}

/** The same of a run that must exist, whichever process is dying meanwhile. */
export async function logOf(service: string, runId: string): Promise<LoggedRun> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    const run = await loggedRun(service, runId);
    if (run !== null) return run;
    if (performance.now() > giveUpAt) throw new Error(`no log shows the run ${runId}`);
    await wait(LOOK_EVERY_MS);
  }
}

/** A request as a client sends it; null when nothing came back. */
export async function ask(
  url: string,
  request: { method?: "GET"; headers?: Record<string, string>; body?: string },
): Promise<Response | null> {
  const headers = { Authorization: `Bearer ${TOKEN}`, ...request.headers };
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  try {
    const answer = await fetch(url, { method: "POST", signal, ...request, headers });
    const body = await answer.arrayBuffer();
    return new Response(body, { status: answer.status });
  } catch {
    return null;
  }
}

const ANSWER_MS_MAX = 10_000;
