/** What is malformed about runs is refused with a sentence, and nothing is stored. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { workflowJourneys } from "../support/workflow-journeys.ts";

type Refusal = readonly [
  method: string,
  path: string,
  status: number,
  headers?: Record<string, string>,
  body?: unknown,
];

workflowJourneys("malformed workflow calls", {}, (journey) => {
  let url: string;
  before(async () => {
    url = `${journey.destination.url}/workflow`;
    journey.destination.respond = () => ({ headers: { "Svc-Workflow-Sdk-Version": "1" } });
    await journey.service.trigger(url, { "Svc-Workflow-RunId": "active", "Svc-Delay": "1h" });
  });

  async function refuse(refusals: readonly Refusal[]): Promise<void> {
    const rows = await journey.service.rowCount();
    for (const [method, path, status, headers = {}, body = ""] of refusals) {
      const sent = typeof body === "string" ? body : JSON.stringify(body);
      const answer = await journey.service.call(method, path, { headers, body: sent });
      const said = `${method} ${path} ${JSON.stringify(headers)} ${sent.slice(0, 200)}: ${answer.text}`;
      assert.equal(answer.status, status, said);
      assert.match(answer.text, /"error":"[^"]/, said);
    }
    assert.equal(await journey.service.rowCount(), rows);
  }

  test("a malformed trigger is refused", async () => {
    const path = `/v2/trigger/${url}`;
    await refuse([
      ["POST", "/v2/trigger/", 400],
      ["POST", "/v2/trigger/no-url", 400],
      ["POST", "/v2/trigger/http://169.254.169.254/", 400],
      ["POST", path, 400, { "Svc-Workflow-RunId": "a b" }],
      ["POST", path, 400, { "Svc-Workflow-RunId": "x".repeat(300) }],
      ["POST", path, 400, { "Svc-Retries": "-1" }],
      ["POST", path, 412, { "Svc-Retries": "1000000" }],
      ["POST", path, 400, { "Svc-Retry-Delay": "soon" }],
      ["POST", path, 400, { "Svc-Delay": "later" }],
      ["POST", path, 400, { "Svc-Not-Before": "tomorrow" }],
      ["POST", path, 400, { "Svc-Flow-Control-Key": "k" }],
      ["POST", path, 400, { "Svc-Failure-Callback": "nowhere" }],
      ["POST", path, 400, { "Svc-Failure-Callback": "http://169.254.169.254/" }],
      ["POST", path, 400, { "Svc-Cron": "* * * * *" }],
      ["POST", path, 400, { "Svc-Retries": "1", "Upstash-Label": "x" }],
      ["GET", path, 405],
    ]);
  });

  test("a batch of triggers is refused whole when one of them is malformed", async () => {
    const good = { destination: url };
    const bad = [
      "",
      "{",
      {},
      [1],
      [good, { destination: 1 }],
      [good, { destination: url, other: 1 }],
      [good, { destination: url, headers: { "Svc-Retries": "x" } }],
      [good, { destination: url, body: 1 }],
    ];
    await refuse(bad.map((body) => ["POST", "/v2/batch/trigger", 400, {}, body]));
  });

  test("a malformed step is refused, in a batch and by itself", async () => {
    const headers = { "Svc-Workflow-RunId": "active", "Svc-Workflow-Init": "false" };
    const item = (more: object, body: unknown) => ({
      destination: url,
      headers: { ...headers, ...more },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const step = { stepId: 1, stepName: "s", stepType: "Run", concurrent: 1 };
    const call = { "Svc-Workflow-CallType": "toCallback" };
    const called = { ...call, "Svc-Callback": url };
    const named = { "Svc-Callback-Forward-Svc-Workflow-StepId": "x" };
    // A step may be six times as large as a message.
    await journey.service.limit({ messageBytesMax: 1_000_000 });
    await refuse([
      ["POST", "/v2/batch", 422, {}, [item({}, "no json")]],
      ["POST", "/v2/batch", 422, {}, [item({}, step), item({}, { ...step, stepId: "2" })]],
      ["POST", "/v2/batch", 412, {}, [item({ "Svc-Retries": "999999" }, step)]],
      ["POST", "/v2/batch", 412, {}, [item({ "Svc-Delay": "9999d" }, step)]],
      ["POST", "/v2/batch", 412, {}, [item({}, { ...step, out: LARGE })]],
      ["POST", `/v2/publish/${url}`, 412, headers, { ...step, out: LARGE }],
      ["POST", "/v2/batch", 422, {}, [{ ...item({}, step), body: 1 }]],
      ["POST", "/v2/batch", 422, {}, [item(call, "")]],
      ["POST", "/v2/batch", 422, {}, [item(called, "")]],
      ["POST", "/v2/batch", 422, {}, [item({ ...called, ...named }, "")]],
      ["POST", "/v2/publish/no-url", 422, headers, step],
      ["POST", `/v2/publish/${url}`, 422, { ...headers, "Svc-Workflow-RunId": "" }, step],
    ]);
  });

  test("a malformed invocation is refused", async () => {
    const headers = {
      "Svc-Workflow-RunId": "child",
      "Svc-Workflow-Init": "true",
      "Svc-Workflow-Invoke": "true",
    };
    const step = { stepId: 1, stepName: "s", stepType: "Invoke", concurrent: 1 };
    const good = { headers: {}, workflowRunId: "active", workflowUrl: url, step };
    const path = `/v2/publish/${url}`;
    const bad = [
      "",
      [],
      { ...good, body: 1 },
      { ...good, headers: 1 },
      { ...good, headers: { "Svc-Retries": "x" } },
      { ...good, workflowRunId: "a b" },
      { ...good, workflowRunCreatedAt: "x" },
      { ...good, workflowUrl: "nowhere" },
      { ...good, step: {} },
    ];
    const deep = { ...headers, "Svc-Forward-Svc-Workflow-Invoke-Count": "101" };
    await refuse([
      ...bad.map((body): Refusal => ["POST", path, 422, headers, body]),
      ["POST", path, 412, deep, good],
      ["POST", path, 400, headers, { ...good, workflowRunId: "ended" }],
    ]);
  });

  test("a malformed or unknown event, run or webhook is refused", async () => {
    await refuse([
      ["POST", "/v2/notify/", 400],
      ["POST", "/v2/notify/%00", 400],
      ["POST", "/v2/notify/%FF", 400],
      ["POST", `/v2/notify/${"x".repeat(600)}`, 400],
      ["POST", "/v2/notify/nowhere/event", 404],
      ["POST", "/v2/notify/a%20b/event", 400],
      ["GET", "/v2/notify/event", 405],
      ["GET", "/v2/waiters/%00", 400],
      ["GET", "/v2/workflows/runs/a%2Fb", 400],
      ["GET", "/v2/workflows/runs/nowhere", 404],
      ["DELETE", "/v2/workflows/runs/nowhere", 404],
      ["DELETE", "/v2/workflows/runs/active?cancel=perhaps", 400],
      ["DELETE", "/v2/workflows/runs/active", 400, { "Svc-Workflow-CreatedAt": "x" }],
      ["POST", "/v2/workflows/hooks/defaultUser/nowhere/evt", 404],
      ["POST", "/v2/workflows/hooks/defaultUser/active", 404],
      ["POST", "/v2/workflows/hooks/defaultUser/active/%00", 400],
    ]);
  });

  test("a part of a path that cannot be decoded is named", async () => {
    for (const [path, field] of [
      ["notify/%ff", "eventId"],
      ["waiters/%ff", "eventId"],
      ["workflows/hooks/%ff/run/event", "accountId"],
      ["workflows/hooks/account/%ff/event", "workflowRunId"],
      ["workflows/hooks/account/run/%ff", "eventId"],
    ] as const) {
      const method = path.startsWith("waiters") ? "GET" : "POST";
      const { json } = await journey.service.call(method, `/v2/${path}`);
      assert.equal(json["field"], field, path);
    }
  });

  test("a read-only token starts, moves and ends nothing", async () => {
    const { service } = journey;
    const token = service.credentials.readOnlyToken;
    const calls = [
      ["POST", `/v2/trigger/${url}`],
      ["POST", "/v2/batch/trigger"],
      ["DELETE", "/v2/workflows/runs/active"],
      ["DELETE", "/v2/workflows/runs"],
      ["POST", "/v2/wait/event"],
      ["POST", "/v2/notify/event"],
    ] as const;
    for (const [method, path] of calls) {
      assert.equal(await service.status(method, path, { token }), 403, path);
      assert.equal(await service.status(method, path, { token: "nobody" }), 401, path);
    }
    assert.equal(await service.status("GET", "/v2/waiters/event", { token }), 200);
  });
});

const LARGE = "x".repeat(11_000_000);
