/** Every way in which a request names a destination: none of them reaches an address that is not allowed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { TestService } from "../support/service-harness.ts";
import type { Scope } from "../support/scope.ts";
import { SteppedClock } from "../support/stepped-clock.ts";

const TOKEN = "a-token-of-my-own";
const STEP = { stepId: 1, stepName: "step", stepType: "Run", concurrent: 1 };
const RUN = { "Svc-Workflow-RunId": "active", "Svc-Workflow-Init": "false" };
const CALL = {
  ...RUN,
  "Svc-Workflow-CallType": "toCallback",
  "Svc-Callback-Workflow-CallType": "fromCallback",
  "Svc-Callback-Forward-Svc-Workflow-StepId": "1",
  "Svc-Callback-Forward-Svc-Workflow-StepName": "step",
  "Svc-Callback-Forward-Svc-Workflow-StepType": "Call",
};
const INVOKE = {
  "Svc-Workflow-RunId": "child",
  "Svc-Workflow-Init": "true",
  "Svc-Workflow-Invoke": "true",
};

interface Way {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Failed {
  readonly good: string;
  readonly letter: string;
  readonly run: string;
}

/** What a caller, or the endpoint of a run, sends to name a destination. */
function ways(bad: string, { good, letter, run }: Failed): Record<string, Way> {
  const invocation = { workflowRunId: "active", workflowUrl: good, headers: {}, step: STEP };
  return {
    publish: { path: `/v2/publish/${bad}` },
    enqueue: { path: `/v2/enqueue/queue/${bad}` },
    "item of a batch": { path: "/v2/batch", body: [{ destination: bad }] },
    callback: { path: `/v2/publish/${good}`, headers: { "Svc-Callback": bad } },
    "failure callback": { path: `/v2/publish/${good}`, headers: { "Svc-Failure-Callback": bad } },
    schedule: { path: `/v2/schedules/${bad}`, headers: { "Svc-Cron": "* * * * *" } },
    "callback of a schedule": {
      path: `/v2/schedules/${good}`,
      headers: { "Svc-Cron": "* * * * *", "Svc-Callback": bad },
    },
    "endpoint of a group": {
      path: "/v2/topics/group/endpoints",
      body: { endpoints: [{ url: bad }] },
    },
    "callback of a group": {
      method: "PATCH",
      path: "/v2/topics/group",
      body: { headers: { "Svc-Callback": bad } },
    },
    trigger: { path: `/v2/trigger/${bad}` },
    "failure URL of a trigger": {
      path: `/v2/trigger/${good}`,
      headers: { "Svc-Failure-Callback": bad },
    },
    "batch of triggers": { path: "/v2/batch/trigger", body: [{ destination: bad }] },
    step: { path: `/v2/publish/${bad}`, headers: RUN, body: STEP },
    "step in a batch": {
      path: "/v2/batch",
      body: [{ destination: bad, headers: RUN, body: JSON.stringify(STEP) }],
    },
    call: { path: `/v2/publish/${bad}`, headers: { ...CALL, "Svc-Callback": good } },
    "result of a call": { path: `/v2/publish/${good}`, headers: { ...CALL, "Svc-Callback": bad } },
    wait: { path: "/v2/wait/event", headers: RUN, body: { url: bad, step: STEP } },
    "timeout of a wait": {
      path: "/v2/wait/event",
      headers: RUN,
      body: { url: good, timeoutUrl: bad, step: STEP },
    },
    "invoked workflow": { path: `/v2/publish/${bad}`, headers: INVOKE, body: invocation },
    "result of an invocation": {
      path: `/v2/publish/${good}`,
      headers: INVOKE,
      body: { ...invocation, workflowUrl: bad },
    },
    "retry of a dead letter": {
      path: `/v2/dlq/retry/${letter}`,
      headers: { "Svc-Callback": bad },
    },
    resume: { path: `/v2/workflows/dlq/resume/${run}`, headers: { "Svc-Failure-Callback": bad } },
    restart: { path: `/v2/workflows/dlq/restart/${run}`, headers: { "Svc-Failure-Callback": bad } },
  };
}

const SPELLINGS = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0177.0.0.1",
  "0x7f000001",
  "localhost",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "169.254.169.254",
  "10.0.0.1",
  "[fd00::1]",
];

test("every way in refuses every spelling of an address that is not allowed", async (t) => {
  const allowed = await DestinationServer.startFor(t, () => ({ status: 500 }));
  const closed = await DestinationServer.startFor(t);
  const { service, calls } = await start(t, freshFolder(t), [allowed]);
  const good = `${allowed.url}/good`;
  await calls.trigger(good, { "Svc-Workflow-RunId": "active", "Svc-Delay": "1h" });
  const dead = await calls.publish(good, { "Svc-Retries": "0" });
  const failed = await calls.trigger(good, { "Svc-Workflow-RunId": "failed", "Svc-Retries": "0" });
  const { dlqId: letter } = await calls.deadLetterOf(dead);
  const { dlqId: run } = await calls.failedRun(failed);
  const rows = await service.rowCount();
  for (const host of SPELLINGS) {
    const bad = `http://${host}:${new URL(closed.url).port}/bad`;
    for (const [name, way] of Object.entries(ways(bad, { good, letter, run }))) {
      const { method = "POST", path, headers = {}, body } = way;
      const sent = body === undefined ? "" : JSON.stringify(body);
      const { text } = await calls.call(method, path, { headers, body: sent });
      assert.match(text, /"error":"[^"]*endpoint resolves to a [a-z-]+ address/, `${name} ${host}`);
    }
  }
  assert.equal(await service.rowCount(), rows);
  assert.deepEqual(closed.requests, []);
});

test("what was stored while an address was allowed is not sent to it once it is not", async (t) => {
  const allowed = await DestinationServer.startFor(t, () => ({ status: 500 }));
  const closed = await DestinationServer.startFor(t, () => ({ status: 500 }));
  const folder = freshFolder(t);
  const first = await start(t, folder, [allowed, closed]);
  const { refused, report } = await fail(first.calls, closed.url);
  await store(first.calls, `${allowed.url}/good`, closed.url);
  await first.service.end(0);
  const before = closed.requests.length;
  const clock = new SteppedClock(t);
  clock.step(2 * HOUR_MS);
  const { calls } = await start(t, folder, [allowed], clock);
  for (const path of refused) await calls.refused(`POST ${path}`, 400, /loopback address/);
  for (const path of [report, "/v2/notify/event", "/v2/queues/queue/resume"]) {
    assert.equal(await calls.status("POST", path), 200, path);
  }
  const notSent = async (): Promise<string[]> => {
    const logs = await calls.list("/v2/logs?state=ERROR&count=200", "logs");
    const entries = logs.filter(({ error }) => String(error).startsWith("destination not allowed"));
    return [...new Set(entries.map(({ url }) => new URL(String(url)).pathname))].toSorted();
  };
  await until(async () => (await notSent()).length === STORED.length, "everything was tried");
  assert.deepEqual(await notSent(), STORED.toSorted());
  await until(
    async () =>
      (await calls.all("/v2/schedules")).every(({ error }) => /loopback/.test(String(error))),
    "both schedules say why they made nothing",
  );
  assert.equal(closed.requests.length, before);
});

/** The paths of destinations that are tried and refused; those of schedules are refused before. */
const STORED = [
  "/publish",
  "/enqueue",
  "/group",
  "/callback",
  "/failure-callback",
  "/trigger",
  "/failure-url",
  "/wait",
  "/timeout",
  "/call",
  "/called",
  "/invoked",
  "/report",
];

/** Fails a message, a run and its report. Answers the paths that send them again. */
async function fail(calls: AccountCalls, closed: string) {
  const once = { "Svc-Retries": "0" };
  const reported = {
    ...once,
    "Svc-Failure-Callback": `${closed}/report`,
    "Svc-Failure-Callback-Retries": "0",
  };
  const letter = await calls.deadLetterOf(await calls.publish(`${closed}/ended`, once));
  const { dlqId } = await calls.failedRun(await calls.trigger(`${closed}/ended`, reported));
  await until(async () => {
    const dead = await calls.get(`/v2/workflows/dlq/${dlqId}`);
    return dead["failureFunctionState"] === "CALLBACK_FAIL";
  }, "the report of the run has failed");
  const again = ["resume", "restart"].map((verb) => `/v2/workflows/dlq/${verb}/${dlqId}`);
  const report = `/v2/workflows/dlq/callback/${dlqId}`;
  return { refused: [`/v2/dlq/retry/${letter.dlqId}`, ...again], report };
}

const IN_AN_HOUR = { "Svc-Delay": "1h", "Svc-Retries": "0" };

/** One of everything that waits with a destination, which its path names. */
async function store(calls: AccountCalls, good: string, closed: string): Promise<void> {
  const post = async (path: string, headers: Way["headers"] = {}, body?: unknown) => {
    const options = { headers, body: body === undefined ? "" : JSON.stringify(body) };
    const { status, text } = await calls.call("POST", path, options);
    assert.ok(status < 300, `${path} ${text}`);
  };
  await post(`/v2/publish/${closed}/publish`, IN_AN_HOUR);
  await post("/v2/queues", {}, { queueName: "queue", paused: true });
  await post(`/v2/enqueue/queue/${closed}/enqueue`, { "Svc-Retries": "0" });
  await calls.addEndpoints("group", `${closed}/group`);
  await post("/v2/publish/group", IN_AN_HOUR);
  for (const name of ["Callback", "Failure-Callback"]) {
    await post(`/v2/publish/${good}`, {
      ...IN_AN_HOUR,
      [`Svc-${name}`]: `${closed}/${name.toLowerCase()}`,
    });
  }
  await post(`/v2/schedules/${closed}/schedule`, { "Svc-Cron": "0 * * * *" });
  await post("/v2/schedules/group", { "Svc-Cron": "0 * * * *" });
  await post(`/v2/trigger/${closed}/trigger`, IN_AN_HOUR);
  await post(`/v2/trigger/${good}`, {
    ...IN_AN_HOUR,
    "Svc-Failure-Callback": `${closed}/failure-url`,
  });
  const ofRun = async (run: string): Promise<Record<string, string>> => {
    await calls.trigger(good, { "Svc-Workflow-RunId": run, "Svc-Delay": "1d" });
    return { ...RUN, "Svc-Workflow-RunId": run };
  };
  const waits = await ofRun("waits");
  await post("/v2/wait/event", waits, { url: `${closed}/wait`, step: STEP });
  const timesOut = await ofRun("times-out");
  const timeoutUrl = `${closed}/timeout`;
  await post("/v2/wait/other", timesOut, { url: good, timeoutUrl, timeout: "1h", step: STEP });
  const call = { ...CALL, ...(await ofRun("calls")), ...IN_AN_HOUR };
  await post(`/v2/publish/${closed}/call`, { ...call, "Svc-Callback": good });
  const called = { ...CALL, ...(await ofRun("called")), ...IN_AN_HOUR };
  await post(`/v2/publish/${good}`, { ...called, "Svc-Callback": `${closed}/called` });
  await ofRun("invokes");
  const invocation = { workflowRunId: "invokes", headers: {}, step: STEP };
  const workflowUrl = `${closed}/invoked`;
  await post(`/v2/publish/${good}`, { ...INVOKE, ...IN_AN_HOUR }, { ...invocation, workflowUrl });
}

const HOUR_MS = 3_600_000;

async function start(
  t: Scope,
  folder: string,
  allowed: readonly DestinationServer[],
  clock: Clock = systemClock,
) {
  const egressAllow = allowed.map(({ url }) => new URL(url).host).join(",");
  const flags = { token: TOKEN, egressAllow };
  const service = await TestService.startFor(t, { mode: "serve", flags, folder, clock });
  return { service, calls: new AccountCalls(service.url, TOKEN) };
}
