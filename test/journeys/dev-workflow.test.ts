/** The workflow that dev itself serves: a first run needs no code. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN } from "../support/console-call.ts";
import { eventually, until } from "../support/eventually.ts";
import { call } from "../support/http-call.ts";
import { OTHER_TOKEN, TestService } from "../support/service-harness.ts";

interface Step {
  readonly stepName?: string;
  readonly state: string;
  readonly errors?: readonly { readonly message?: string }[];
}
interface Run {
  readonly workflowState: string;
  readonly workflowRunResponse?: string;
  readonly steps: readonly { readonly steps: readonly Step[] }[];
}

const TRIGGER = { headers: { "Svc-Retry-Delay": "3600000" }, body: "{}" };

async function runUntil(
  service: TestService,
  id: string,
  isWanted: (run: Run) => boolean,
  token = service.token,
): Promise<Run> {
  return eventually(async () => {
    const path = `/v2/workflows/events?groupBy=workflowRunId&workflowRunId=${id}`;
    const { json } = await service.call("GET", path, { token });
    const run = (json as { runs: Run[] }).runs[0];
    return run !== undefined && isWanted(run) ? run : null;
  }, "the run");
}

const stepsOf = ({ steps }: Run): Step[] => steps.flatMap((group) => group.steps).slice(1);
const isAt = (name: string, state: string) => (run: Run) =>
  stepsOf(run).some((step) => step.stepName === name && step.state === state);

test("a run of it has a step, one that is tried again, a sleep and a result", async (t) => {
  const service = await TestService.startFor(t);
  const url = `${service.url}/dev/workflow/defaultUser`;
  const { json } = await service.call("POST", `/v2/trigger/${url}`, TRIGGER);
  const id = json["workflowRunId"] as string;
  const failing = await runUntil(service, id, isAt("charge card", "STEP_RETRY"));
  const [, failed] = stepsOf(failing);
  assert.match(failed?.errors?.[0]?.message ?? "", /card terminal is busy/);
  await service.post("/dev/clock", { advance: "2h" });
  await runUntil(service, id, isAt("charge card", "STEP_SUCCESS"));
  await until(async () => {
    await service.post("/dev/clock", { advance: "6s" });
    return (await service.list("/v2/workflows/logs?state=RUN_SUCCESS", "runs")).length === 1;
  }, "its end");
  const run = await runUntil(service, id, () => true);
  assert.deepEqual(
    stepsOf(run).map(({ stepName, state }) => [stepName, state]),
    ["load order", "charge card", "cool off", "send mail"].map((name) => [name, "STEP_SUCCESS"]),
  );
  assert.equal(run.workflowState, "RUN_SUCCESS");
  const result = { order: "A-10492", total: 84.9, mail: "sent" };
  assert.deepEqual(JSON.parse(run.workflowRunResponse!), result);
});

test("only a run that was started at its URL gets steps from it", async (t) => {
  const service = await TestService.startFor(t);
  const path = "/dev/workflow/defaultUser";
  const sent = (headers: Record<string, string>, body = "[{}]", at = path) =>
    call(service.url, "POST", at, { headers, body });
  assert.equal((await sent({})).status, 400);
  assert.equal((await sent({ "Svc-Workflow-RunId": "wfr_none" })).status, 404);
  const elsewhere = `/v2/trigger/${service.url}/echo/slow?delay=1m`;
  const { json } = await service.call("POST", elsewhere, { body: "{}" });
  const other = { "Svc-Workflow-RunId": json["workflowRunId"] as string };
  assert.equal((await sent(other, "[{},{},{}]")).status, 404);
  const own = await service.call("POST", `/v2/trigger/${service.url}${path}`, TRIGGER);
  const named = { "Svc-Workflow-RunId": own.json["workflowRunId"] as string };
  assert.equal((await sent(named, "no list")).status, 400);
  assert.equal((await sent(named, "[{}]", "/dev/workflow/testUser1")).status, 404);
});

test("every account of dev has it, and serve does not", async (t) => {
  const service = await TestService.startFor(t);
  const url = `${service.url}/dev/workflow/testUser1`;
  const started = await service.call("POST", `/v2/trigger/${url}`, {
    ...TRIGGER,
    token: OTHER_TOKEN,
  });
  const id = started.json["workflowRunId"] as string;
  await runUntil(service, id, isAt("charge card", "STEP_RETRY"), OTHER_TOKEN);
  const flags = { adminPassword: ADMIN[1] };
  const served = await TestService.startFor(t, { mode: "serve", flags });
  const headers = { "Svc-Workflow-RunId": "wfr_none" };
  const path = "/dev/workflow/defaultUser";
  assert.equal((await call(served.url, "POST", path, { headers, body: "[]" })).status, 404);
});
