/** Workflows written with our own SDK: from the trigger to the end of the run. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Context, NonRetryableError, RetryAfterError } from "../../sdk/src/sdk.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

sdkJourneys("workflows of the SDK", {}, (journey) => {
  test("steps and sleeps take a call each, and the run ends with the result", async () => {
    const until = new Date(Date.now() + 1_000);
    const done: string[] = [];
    const url = journey.serve<{ name: string }>("/steps", async (context) => {
      const hello = await context.run(
        "hällo",
        () => `${done.push("hello")} ${context.payload.name}`,
      );
      await context.sleep("short", 1);
      await context.sleepUntil("until", until);
      const nothing = await context.run("nothing", () => {});
      const { labels, runId } = context;
      return { hello, nothing, labels, runId, own: context.headers.get("x-own") };
    });
    const trigger = { body: { name: "Wörld" }, label: ["a", "b"], headers: { "X-Own": "yes" } };
    const runId = await journey.run(url, "success", trigger);
    const expected = { hello: "1 Wörld", labels: ["a", "b"], runId, own: "yes" };
    assert.deepEqual(await journey.result(runId), expected);
    assert.deepEqual(done, ["hello"]);
    assert.equal(journey.endpoint.to("/steps").length, 5);
  });

  test("steps at once are planned, done and joined once", async () => {
    const joined: number[] = [];
    const url = journey.serve("/parallel", async (context) => {
      const branch = async (name: string): Promise<number> =>
        (await context.run(`${name}1`, () => 1)) + (await context.run(`${name}2`, () => 2));
      const [a, b] = await Promise.all([branch("a"), branch("b"), context.sleep("c", 1)]);
      return context.run("join", () => joined.push(a + b) && a + b);
    });
    const runId = await journey.run(url, "success");
    assert.equal(await journey.result(runId), 6);
    assert.deepEqual(joined, [6]);
    // To plan three, three plans, three results; two plans, two results; the step after, and the end.
    assert.equal(journey.endpoint.to("/parallel").length, 12);
  });

  test("a step is tried again, when it asks for it, and then the failure function is called", async () => {
    const failures: unknown[] = [];
    const retried: number[] = [];
    const url = journey.serve<{ n: number }>(
      "/fails",
      (context) =>
        context.run("breaks", () => {
          retried.push(context.retried);
          throw context.retried === 0 ? new RetryAfterError("soon", 0) : new Error("no luck");
        }),
      {
        onFailure: ({ payload, status, message, headers, runId, dlqId }) => {
          failures.push([payload, status, message, headers.get("x-own"), runId, typeof dlqId]);
        },
      },
    );
    const trigger = { body: { n: 7 }, retries: 2, retryDelay: "1", headers: { "X-Own": "yes" } };
    const runId = await journey.run(url, "failed", trigger);
    await journey.endpoint.until(() => failures.length === 1);
    assert.deepEqual(failures, [[{ n: 7 }, 500, "no luck", "yes", runId, "string"]]);
    assert.deepEqual(retried, [0, 1, 2]);
  });

  test("an error that is final is not tried again, and a refusal is no crash", async () => {
    const hopeless = journey.serve("/hopeless", (context) =>
      context.run("hopeless", () => Promise.reject(new NonRetryableError("never"))),
    );
    await journey.run(hopeless, "failed");
    const refusing = journey.serve("/refusing", async () => "no entry");
    await journey.run(refusing, "failed", { retries: 0 });
    const { endpoint } = journey;
    const answersTo = (path: string): number[] =>
      endpoint.answers.filter((answer) => answer.path === path).map(({ status }) => status);
    await endpoint.until(() => answersTo("/refusing").length + answersTo("/hopeless").length === 4);
    assert.deepEqual(answersTo("/hopeless"), [489, 200]);
    assert.deepEqual(answersTo("/refusing"), [400, 200]);
  });

  test("a run is cancelled from inside and from outside", async () => {
    const { sdk, endpoint } = journey;
    const done: string[] = [];
    const url = journey.serve<string>("/cancel", async (context) => {
      await context.run("first", () => done.push(context.payload));
      if (context.payload === "inside") await context.cancel();
      await context.sleep("long", "1h");
    });
    await journey.run(url, "canceled", { body: "inside" });
    const { workflowRunId } = await sdk.workflow.trigger({ url, body: "outside" });
    await endpoint.until(() => done.length === 2);
    assert.equal((await sdk.workflow.cancel(workflowRunId)).cancelled, 1);
    await journey.phase(workflowRunId, "canceled");
  });

  test("an id of one's own is used once at a time, and many are started at once", async () => {
    const { sdk } = journey;
    const url = journey.serve("/named", (context) => context.sleep("long", "1h"));
    const first = await sdk.workflow.trigger({ url, workflowRunId: "named-1" });
    assert.equal(first.workflowRunId, "named-1");
    const [again, other] = await sdk.workflow.trigger([
      { url, workflowRunId: "named-1" },
      { url, workflowRunId: "named-2", body: { a: 1 } },
    ]);
    assert.equal(again?.deduplicated, true);
    assert.equal(other?.workflowRunId, "named-2");
  });

  test("the stack of a failed step is kept with the run, and its failure function gets it", async () => {
    const stacks: (string | undefined)[] = [];
    const onFailure = ({ stack }: { stack: string | undefined }) => void stacks.push(stack);
    const url = journey.serve("/stack", (context) => context.run("pay", failToPay), { onFailure });
    const runId = await journey.run(url, "failed", { retries: 0, redact: { body: true } });
    await journey.endpoint.until(() => stacks.length === 1);
    assert.match(stacks[0] ?? "", /^TypeError: no money\n.*failToPay/s);
    const { items } = await journey.sdk.workflow.dlq.list({ workflowRunId: runId });
    const { responseBody } = items[0]!;
    assert.equal((JSON.parse(responseBody!) as { stack: string }).stack, stacks[0]);
  });

  test("a message to the endpoint starts a run of its own", async () => {
    const done: unknown[] = [];
    const url = `${journey.endpoint.url}/plain`;
    const workflow = async (context: Context<{ a: number }>): Promise<void> => {
      await context.run("one", () => 1);
      done.push(context.payload, context.headers.get("x-own"), context.runId);
    };
    journey.serve("/plain", workflow, { url });
    await journey.sdk.publishJSON({ url, body: { a: 1 }, headers: { "X-Own": "yes" } });
    await journey.endpoint.until(() => done.length === 3);
    assert.deepEqual(done.slice(0, 2), [{ a: 1 }, "yes"]);
    await journey.phase(done[2] as string, "success");
    assert.equal(journey.endpoint.to("/plain").length, 3);
  });

  test("a delivery from another sender is refused", async () => {
    const url = journey.serve("/guarded", (context) => context.run("x", () => 1));
    const headers = { "Svc-Workflow-RunId": "wfr_x", "Svc-Workflow-Sdk-Version": "1" };
    assert.equal((await fetch(url, { method: "POST", body: "[]", headers })).status, 401);
  });

  test("a state too large to be sent is fetched", async () => {
    const url = journey.serve("/large", async (context) => {
      const texts: string[] = [];
      for (const name of ["a", "b", "c", "d"]) {
        texts.push(await context.run(name, () => name.repeat(900_000)));
      }
      return texts.map((text) => `${text.length}${text[0]}`);
    });
    const runId = await journey.run(url, "success");
    assert.deepEqual(await journey.result(runId), ["900000a", "900000b", "900000c", "900000d"]);
    assert.equal(journey.endpoint.to("/large").at(-1)?.body.length, 0);
  });
});

function failToPay(): never {
  throw new TypeError("no money");
}
