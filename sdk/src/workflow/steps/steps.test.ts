import assert from "node:assert/strict";
import { test } from "node:test";
import { play, serveOn } from "../../../../test/support/play-workflow.ts";
import type { WorkflowStub } from "../../../../test/support/workflow-stub.ts";
import { answerTo } from "../../../../test/support/stub-api.ts";
import type { Context, Webhook } from "../../sdk.ts";

test("a call is made by the service, and its answer is the result, good or bad", async () => {
  const asked: unknown[] = [];
  const { state, result, statuses } = await play(
    async (context) => {
      const good = await context.call<{ id: number }>("gut ü %", {
        url: "https://other.example/items",
        method: "POST",
        body: { name: "x" },
        headers: { Authorization: "Bearer y" },
      });
      const bad = await context.call("bad", { url: "https://other.example/missing" });
      return [good.status, good.body.id, good.header["X-Own"], bad.status, bad.body];
    },
    {
      outside: (request) => {
        asked.push(request);
        const isGood = request.url.endsWith("items");
        return isGood
          ? { status: 201, body: '{"id":5}', headers: { "X-Own": "v" } }
          : { status: 404, body: "nö" };
      },
    },
  );
  assert.equal(state, "success");
  assert.deepEqual(result, [201, 5, ["v"], 404, "nö"]);
  assert.deepEqual(asked, [
    { url: "https://other.example/items", method: "POST", body: '{"name":"x"}' },
    { url: "https://other.example/missing", method: "GET", body: "" },
  ]);
  // For each call: one delivery to submit it, one callback; then the first result submits the
  // second.
  assert.deepEqual(statuses, [200, 200, 200, 200, 200]);
});

test("calls at once are joined like other steps", async () => {
  const { result } = await play(
    async (context) => {
      const results = await Promise.all([
        context.call("a", { url: "https://other.example/a" }),
        context.run("b", () => "b"),
        context.call("c", { url: "https://other.example/c" }),
      ]);
      return results.map((value) => (typeof value === "string" ? value : value.body));
    },
    { outside: ({ url }) => ({ status: 200, body: url.slice(-1) }) },
  );
  assert.deepEqual(result, ["a", "b", "c"]);
});

test("a wait ends with the data of the event", async () => {
  const { result, stub } = await play(async (context, service) => {
    const [{ eventData, timeout }] = await Promise.all([
      context.waitForEvent<{ by: string }>("packed", "packed-1", { timeout: "2d" }),
      context.run("pack", async () => tellRun(service, "packed-1", '{"by":"Eva"}')),
    ]);
    return [eventData?.by, timeout];
  });
  assert.deepEqual(result, ["Eva", false]);
  const wait = stub.calls.find(({ path }) => path === "/v2/wait/packed-1");
  assert.equal((JSON.parse(wait!.body) as { timeout: string }).timeout, "2d");
});

test("a wait without an event times out", async () => {
  const { result } = await play((context) => context.waitForEvent("w", "absent", { timeout: 30 }));
  assert.deepEqual(result, { timeout: true });
});

test("events without data and with text are told apart", async () => {
  const { result } = await play(
    async (context) => [
      (await context.waitForEvent("one", "e")).eventData === undefined,
      (await context.waitForEvent("two", "e")).eventData,
    ],
    { begin: (_, run) => run.events.set("e", ["", "text"]) },
  );
  assert.deepEqual(result, [true, "text"]);
});

test("a notify step wakes others, and its result tells whom", async () => {
  const { result, steps } = await play(async (context) => {
    const [notified] = await Promise.all([
      context.notify("tell", "e", { a: 1 }, context.runId),
      context.waitForEvent("hear", "e"),
    ]);
    return [notified.eventId, notified.eventData, notified.notifyResponse.length <= 1];
  });
  assert.deepEqual(result, ["e", { a: 1 }, true]);
  assert.deepEqual(steps, ["Notify tell", "Wait hear"]);
});

test("a webhook's address names the run, and what was sent to it is a request", async () => {
  let hook: Webhook | undefined;
  const { result } = await play(async (context, service) => {
    hook = await context.createWebhook("hook");
    await context.run("give it away", () => callHook(service, hook!));
    const { request, timeout } = await context.waitForWebhook("hooked", hook, { timeout: "1h" });
    return [timeout, request?.method, request?.headers.get("x-a"), await request?.text()];
  });
  assert.deepEqual(result, [false, "PUT", "1, 2", "bödy"]);
  assert.match(hook!.webhookUrl, /^http:\/\/service\/v2\/workflows\/hooks\/me\/wfr_1\/evt_.{15}$/);
  const late = await play(async (context) => {
    const address = await context.createWebhook("hook");
    return (await context.waitForWebhook("hooked", address, { timeout: "1h" })).timeout;
  });
  assert.equal(late.result, true);
});

test("an invoked run's result, failure and cancellation come back", async () => {
  const child = "https://app.example/api/child";
  let service: WorkflowStub;
  const { result, stub } = await play(
    async (context) => {
      const results = [];
      for (const body of ["good", "fail", "cancel"]) {
        results.push(
          await context.invoke(body, { url: child, body, headers: { "x-from": "parent" } }),
        );
      }
      return results;
    },
    {
      endpoints: { [child]: (request) => serveOn(service, childWorkflow)(request) },
      begin: (started) => void (service = started),
    },
  );
  assert.deepEqual(result, [
    { body: { seen: "good" }, isCanceled: false, isFailed: false },
    { isCanceled: false, isFailed: true },
    { isCanceled: true, isFailed: false },
  ]);
  const children = [...stub.runs.values()].filter(({ url }) => url === child);
  assert.equal(children[0]?.headers["Svc-Forward-X-From"], "parent");
  assert.equal(children[0]?.headers["Svc-Forward-Svc-Workflow-Invoke-Count"], "1");
});

async function childWorkflow(context: Context<string>): Promise<unknown> {
  if (context.payload === "cancel") await context.cancel();
  const fails = context.payload === "fail";
  return context.run("work", () =>
    fails ? Promise.reject(new Error("no")) : { seen: context.payload },
  );
}

/** Notifies the run of the test of an event, as an outside client would. */
function tellRun(stub: WorkflowStub, eventId: string, body: string): void {
  const path = `/v2/notify/${[...stub.runs.keys()][0]}/${eventId}`;
  answerTo(stub, { method: "POST", path, headers: new Headers(), body });
}

function callHook(stub: WorkflowStub, { webhookUrl, eventId }: Webhook): void {
  const { protocol, host, pathname } = new URL(webhookUrl);
  const body = JSON.stringify({
    method: "PUT",
    header: { "X-A": ["1", "2"] },
    body: Buffer.from("bödy").toString("base64"),
    proto: protocol.slice(0, -1),
    host,
    url: pathname,
  });
  tellRun(stub, eventId, body);
}
