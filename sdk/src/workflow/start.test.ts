import assert from "node:assert/strict";
import { test } from "node:test";
import { clientOf, play, serveOn, WORKFLOW_URL } from "../../../test/support/play-workflow.ts";
import { sign } from "../../../test/support/stub-run.ts";
import { WorkflowStub } from "../../../test/support/workflow-stub.ts";
import { type Context, createWorkflow, type Handler, Receiver, serveMany } from "../sdk.ts";

async function guarded(context: Context): Promise<unknown> {
  if (context.headers.get("authorization") !== "Bearer friend") return undefined;
  const answer = await context.call("ask", { url: "https://other.example/" });
  return context.run("greet", () => [context.payload, context.headers.get("x-own"), answer.status]);
}

function post(body: string, headers: Record<string, string> = {}): Request {
  return new Request(WORKFLOW_URL, { method: "POST", body, headers });
}

test("a plain request starts a run, with its headers and its payload", async () => {
  const stub: WorkflowStub = new WorkflowStub({
    endpoints: { [WORKFLOW_URL]: (request) => handler(request) },
  });
  const handler = serveOn(stub, guarded, { retries: 7, retryDelay: "1000" });
  const headers = { authorization: "Bearer friend", "x-own": "1", "x-forwarded-for": "::1" };
  const response = await handler(
    post('"hello"', { ...headers, "content-type": "application/json" }),
  );
  assert.equal(response.status, 200);
  const { workflowRunId } = (await response.json()) as { workflowRunId: string };
  await stub.drain();
  const run = stub.runs.get(workflowRunId)!;
  assert.equal(run.state, "success");
  assert.deepEqual(JSON.parse(run.result!), ["hello", "1", 200]);
  assert.equal(run.headers["Svc-Retries"], "7");
  assert.equal(run.headers["Svc-Forward-X-Forwarded-For"], undefined);
});

test("a plain request that the function refuses starts nothing", async () => {
  const stub = new WorkflowStub({ endpoints: {} });
  const response = await serveOn(stub, guarded)(post("x", { authorization: "Bearer stranger" }));
  assert.equal(response.status, 400);
  const throwing = serveOn(stub, () => Promise.reject(new Error("down")));
  assert.equal((await throwing(post("x"))).status, 500);
  assert.equal(stub.runs.size, 0);
});

test("without keys the result of a call is taken only if the function lets it pass", async () => {
  const { stub, run } = await play(guarded, {
    headers: { "Svc-Forward-Authorization": "Bearer friend" },
  });
  assert.equal(run.state, "success");
  const forged = post(JSON.stringify({ status: 200, body: "" }), {
    "Svc-Workflow-RunId": stub.trigger(WORKFLOW_URL).runId,
    "Svc-Workflow-Callback": "true",
    "Svc-Workflow-StepId": "1",
    "Svc-Workflow-StepName": "ask",
    "Svc-Workflow-StepType": "Call",
    "Svc-Workflow-Concurrent": "1",
  });
  const before = stub.calls.length;
  const response = await serveOn(stub, guarded)(forged);
  assert.equal(response.status, 400);
  assert.deepEqual(
    stub.calls.slice(before).map(({ method }) => method),
    ["GET"],
  );
});

test("with keys only what the service has signed is taken", async () => {
  const stub = new WorkflowStub({ endpoints: {} });
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  const options = { receiver, url: WORKFLOW_URL };
  const handler = serveOn(stub, (context) => context.run("x", () => 1), options);
  for (const headers of [{}, signature("a.b.c"), signature(sign("other", "sig_a", WORKFLOW_URL))]) {
    const response = await handler(post("body", headers));
    assert.equal(response.status, 401);
    assert.equal(((await response.json()) as { error: string }).error, "SignatureError");
  }
  const signed = post("body", signature(sign("body", "sig_a", WORKFLOW_URL)));
  assert.equal((await handler(signed)).status, 200);
  assert.equal(stub.runs.size, 1);
});

test("keys, URL and token may come with the request, as edge runtimes hand them over", async () => {
  const stub = new WorkflowStub({ endpoints: {} });
  const { token, fetch } = clientOf(stub);
  const handler = serveOn(stub, (context) => context.run("x", () => 1), {
    client: { fetch, retry: false },
  });
  const environment = { POSTRIDER_URL: "http://service", POSTRIDER_TOKEN: token };
  assert.equal((await handler(post(""), environment)).status, 200);
  const locked = { ...environment, POSTRIDER_CURRENT_SIGNING_KEY: "sig_a" };
  assert.equal((await handler(post(""), locked)).status, 401);
  const response = await handler(post(""));
  assert.equal(response.status, 500);
  assert.match(await response.text(), /POSTRIDER_TOKEN/);
});

test("anything but POST is refused", async () => {
  const stub = new WorkflowStub({ endpoints: {} });
  const response = await serveOn(stub, guarded)(new Request(WORKFLOW_URL));
  assert.equal(response.status, 405);
  assert.equal(response.headers.get("Allow"), "POST");
});

test("workflows that are served together are found by their names, and invoke each other", async () => {
  const endpoint = (request: Request): Promise<Response> => handler(request);
  const address = "https://app.example/flows";
  const stub = new WorkflowStub({
    endpoints: { [`${address}/parent`]: endpoint, [`${address}/child%20one`]: endpoint },
  });
  const client = clientOf(stub);
  const child = createWorkflow(
    async (context) => context.run("double", () => Number(context.payload) * 2),
    { client },
  );
  const parent = createWorkflow(
    async (context) => (await context.invoke<number>("ask", { workflow: child, body: 21 })).body,
    { client },
  );
  const handler: Handler = serveMany({ parent, "child one": child });
  const run = stub.trigger(`${address}/parent`);
  await stub.drain();
  assert.equal(run.result, "42");
  const missing = await handler(new Request(`${address}/other`, { method: "POST" }));
  assert.equal(missing.status, 404);
  assert.match(await missing.text(), /no workflow .*other.* parent, child one/);
});

function signature(value: string): Record<string, string> {
  return { "Svc-Signature": value };
}
