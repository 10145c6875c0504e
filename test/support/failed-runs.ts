/** Failed runs that are resumed or restarted, one or several at a time, in either dialect. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Received, Reply } from "./destination-server.ts";
import type { Journey } from "./journeys.ts";
import type { Item } from "./account-calls.ts";

/** One way to take failed runs up again. */
export interface Way {
  readonly verb: "resume" | "restart";
  /** One by the id of its dead letter, many by such ids, or one that is found by the id of its run. */
  readonly form: "one" | "many" | "found";
  /** Of every header, those of the trigger included. */
  readonly prefix: "Svc-" | "Upstash-";
}

/** Headers by what follows their prefix. */
export type Settings = Readonly<Record<string, string>>;

const WAYS: readonly Way[] = (["resume", "restart"] as const).flatMap((verb) =>
  (["one", "many"] as const).flatMap((form) =>
    (["Svc-", "Upstash-"] as const).map((prefix) => ({ verb, form, prefix })),
  ),
);

/** Defines a test that checks all of them at once. */
export function inEveryWay(what: string, check: (way: Way) => Promise<void>): void {
  test(what, async () => {
    await Promise.all(WAYS.map((way) => check(way)));
  });
}

/** What the endpoint got of a new run: every request since the failed run was taken up. */
export interface Delivery extends Received {
  readonly receivedAt: number;
}

/** How the endpoint of a new run answers; `nth` counts its requests from 1. */
export type Endpoint = (run: TakenUp, request: Delivery, nth: number) => Reply | Promise<Reply>;

/** A run that has failed at its second delivery, and the run that is made of it. */
export class TakenUp {
  readonly path: string;
  readonly way: Way;
  readonly deliveries: Delivery[] = [];
  /** Of the failed run, and then of the new one. */
  runId = "";
  createdAt = 0;
  readonly #journey: Journey;
  readonly #endpoint: Endpoint;
  #isTakenUp = false;
  #earlier = 0;

  constructor(journey: Journey, way: Way, path: string, endpoint: Endpoint) {
    this.#journey = journey;
    this.way = way;
    this.path = path;
    this.#endpoint = endpoint;
  }

  /** Starts the run, and resolves with the id of its dead letter. */
  async fail({ before = {}, payload = "", startedBy = "trigger" }: Start): Promise<string> {
    const { service, destination } = this.#journey;
    const settings = { Retries: "0", "Failure-Callback": this.reportUrl, ...before };
    this.runId = `wfr_${this.path.slice(1)}`;
    const path = `/v2/${startedBy}/${destination.url}${this.path}`;
    const { status, text } = await service.call("POST", path, {
      headers: this.prefixed({ ...settings, ...START[startedBy], "Workflow-RunId": this.runId }),
      body: payload,
    });
    assert.equal(status, 200, text);
    return (await service.failedRun(this.runId)).dlqId;
  }

  /** From now on the endpoint serves the new run. */
  begin(): void {
    this.#isTakenUp = true;
  }

  answer(request: Received): Reply | Promise<Reply> {
    if (this.#isTakenUp) {
      const delivery = { ...request, receivedAt: Date.now() };
      const nth = this.deliveries.push(delivery);
      return this.#endpoint(this, delivery, nth);
    }
    this.#earlier += 1;
    return this.#earlier === 1 ? this.submit(request, 1) : this.fails();
  }

  /** Submits the result of a step; then the endpoint has done its part. */
  async submit({ headers }: Received, stepId = this.nextStepId): Promise<Reply> {
    const { service, destination } = this.#journey;
    const runId = headers[`${this.way.prefix.toLowerCase()}workflow-runid`] ?? "";
    const { status, text } = await service.call(
      "POST",
      `/v2/publish/${destination.url}${this.path}`,
      {
        headers: this.prefixed({ Retries: "0", "Workflow-RunId": runId, "Workflow-Init": "false" }),
        body: JSON.stringify({ stepId, stepName: `${stepId}`, stepType: "Run", concurrent: 1 }),
      },
    );
    assert.equal(status, 200, text);
    return { headers: this.#version() };
  }

  fails(): Reply {
    return { status: 500, headers: this.#version() };
  }

  /** Where failures are reported, unless the settings name another URL. */
  get reportUrl(): string {
    return `${this.#journey.destination.url}${this.path}-report`;
  }

  /** The step that follows what the new run begins with. */
  get nextStepId(): number {
    return this.way.verb === "resume" ? 2 : 1;
  }

  prefixed(settings: Settings): Record<string, string> {
    return prefixed(this.way, settings);
  }

  /** The values of our headers in each delivery. */
  told(...names: readonly string[]): (string | undefined)[][] {
    return this.deliveries.map((delivery) => toldIn(this.way, delivery, names));
  }

  #version(): Record<string, string> {
    return this.prefixed({ "Workflow-Sdk-Version": "1", "Workflow-Sdk": "v1" });
  }
}

/** How the runs that fail are started. */
export interface Start {
  readonly before?: Settings;
  readonly payload?: string;
  /** By a publish, as older clients do: then each step says its own settings. */
  readonly startedBy?: "trigger" | "publish";
}

export interface TakingUp extends Start {
  readonly journey: Journey;
  readonly way: Way;
  /** Where its endpoints are: `/<name>-...`. */
  readonly name: string;
  /** What replaces it. */
  readonly given?: Settings;
  readonly endpoint: Endpoint;
  /** Called once the runs have failed. */
  readonly failed?: (runs: readonly TakenUp[]) => Promise<void>;
}

/** Lets one or two runs fail, and takes them up as the way says. */
export async function takeUp(options: TakingUp): Promise<readonly TakenUp[]> {
  const { journey, way, given = {}, endpoint } = options;
  const name = nameOf(options.name, way);
  const indexes = way.form === "many" ? [0, 1] : [0];
  const runs = indexes.map((index) => new TakenUp(journey, way, `/${name}-${index}`, endpoint));
  for (const run of runs) answering(journey).set(run.path, run);
  const ids = await Promise.all(runs.map((run) => run.fail(options)));
  await options.failed?.(runs);
  for (const run of runs) run.begin();
  const path = {
    one: `/${ids[0]}`,
    many: `?${ids.map((id) => `dlqIds=${id}`).join("&")}`,
    found: `?workflowRunId=${runs[0]!.runId}`,
  }[way.form];
  const headers = prefixed(way, given);
  const taken = await journey.service.call("POST", `/v2/workflows/dlq/${way.verb}${path}`, {
    headers,
  });
  assert.equal(taken.status, 200, taken.text);
  const started = way.form === "one" ? [taken.json] : (taken.json["workflowRuns"] as Item[]);
  assert.equal(started.length, runs.length);
  const urls = await Promise.all(started.map((run) => workflowPath(journey, run)));
  for (const run of runs) {
    const own = started[urls.indexOf(run.path)];
    run.runId = String(own?.["workflowRunId"]);
    run.createdAt = Number(own?.["workflowCreatedAt"]);
  }
  return runs;
}

export function nameOf(name: string, { verb, form, prefix }: Way): string {
  return `${name}-${verb}-${form}-${prefix.toLowerCase().slice(0, -1)}`;
}

export function prefixed({ prefix }: Way, settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`${prefix}${name}`, value]),
  );
}

/** The values of our headers in a request. */
export function toldIn(
  { prefix }: Way,
  { headers }: Received,
  names: readonly string[],
): (string | undefined)[] {
  return names.map((name) => headers[`${prefix}${name}`.toLowerCase()]);
}

async function workflowPath({ service }: Journey, run: Item): Promise<string> {
  const runId = String(run["workflowRunId"]);
  const [shown] = await service.list(`/v2/workflows/logs?workflowRunId=${runId}`, "runs");
  return new URL(String(shown?.["workflowUrl"])).pathname;
}

/** The runs by the paths of their endpoints; what goes elsewhere is left to the test. */
function answering({ destination }: Journey): Map<string, TakenUp> {
  const known = RUNS.get(destination);
  if (known !== undefined) return known;
  const runs = new Map<string, TakenUp>();
  RUNS.set(destination, runs);
  const others = destination.respond;
  destination.respond = (request, nth) => {
    const run = runs.get(request.url);
    return run === undefined ? others(request, nth) : run.answer(request);
  };
  return runs;
}

const START: Readonly<Record<string, Settings>> = {
  trigger: {},
  publish: { "Workflow-Init": "true" },
};
const RUNS = new WeakMap<Journey["destination"], Map<string, TakenUp>>();
