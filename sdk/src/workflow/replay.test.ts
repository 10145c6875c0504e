import assert from "node:assert/strict";
import { test } from "node:test";
import { play, serveOn, WORKFLOW_URL } from "../../../test/support/play-workflow.ts";
import { WorkflowStub } from "../../../test/support/workflow-stub.ts";
import type { Context } from "../sdk.ts";

/** Delivers a history to a function, as if the run had been recorded by an earlier version of it. */
async function deliver(
  steps: readonly object[],
  workflow: (context: Context) => Promise<unknown>,
): Promise<{ status: number; answer: Record<string, string>; asked: string[] }> {
  const stub = new WorkflowStub({ endpoints: {} });
  stub.trigger(WORKFLOW_URL, "", { "Svc-Workflow-RunId": "wfr_x" });
  const bodies = ["", ...steps.map((step) => JSON.stringify(step))];
  const entries = bodies.map((body, index) => ({
    messageId: `msg_${index}`,
    callType: "step",
    body: Buffer.from(body).toString("base64"),
  }));
  const request = new Request(WORKFLOW_URL, {
    method: "POST",
    headers: { "Svc-Workflow-RunId": "wfr_x", "Svc-Workflow-Sdk-Version": "1" },
    body: JSON.stringify(entries),
  });
  const response = await serveOn(stub, workflow)(request);
  const answer = (await response.json()) as Record<string, string>;
  return { status: response.status, answer, asked: stub.calls.map(({ body }) => body) };
}

const result = (stepId: number, stepName: string, more: object = {}): object => ({
  stepId,
  stepName,
  stepType: "Run",
  concurrent: 1,
  out: '"old"',
  ...more,
});
const plan = (targetStep: number, stepName: string, concurrent: number): object => ({
  stepId: 0,
  stepName,
  stepType: "Run",
  concurrent,
  targetStep,
});

test("a step of another name or type than the recorded one is an error that names both", async () => {
  const renamed = await deliver([result(1, "pay")], (context) => context.run("charge", () => 1));
  assert.equal(renamed.status, 500);
  assert.equal(renamed.answer["error"], "StepMismatchError");
  assert.match(renamed.answer["message"]!, /step 1 .* Run "pay", but .* Run "charge"/);
  const retyped = await deliver([result(1, "pay")], (context) => context.sleep("pay", 1));
  assert.match(retyped.answer["message"]!, /Run "pay", but .* SleepFor "pay"/);
  assert.deepEqual([...renamed.asked, ...retyped.asked], []);
});

test("a step that was planned under another name is an error too", async () => {
  const { answer } = await deliver([plan(1, "a", 2), plan(2, "b", 2)], (context) =>
    Promise.all([context.run("a", () => 1), context.run("other", () => 1)]),
  );
  assert.match(answer["message"]!, /step 2 .* "b", but .* "other"/);
});

test("fewer or more steps at once than were recorded are an error", async () => {
  const plans = [plan(1, "a", 2), plan(2, "b", 2)];
  const fewer = await deliver(plans, (context) => context.run("a", () => 1));
  assert.match(fewer.answer["message"]!, /recorded 2 steps at once, but .* 1: "a"/);
  const more = await deliver(plans, (context) =>
    Promise.all(["a", "b", "c"].map((name) => context.run(name, () => 1))),
  );
  assert.match(more.answer["message"]!, /recorded 2 steps at once, but .* 3: "a", "b", "c"/);
  const joined = [result(1, "a", { concurrent: 2 }), result(2, "b", { concurrent: 2 })];
  const later = await deliver([...plans, ...joined], (context) => context.run("a", () => 1));
  assert.match(later.answer["message"]!, /recorded 2 steps at once/);
});

test("a function that no longer calls what was recorded is an error", async () => {
  const { status, answer } = await deliver([result(1, "a"), result(2, "b")], (context) =>
    context.run("a", () => 1),
  );
  assert.equal(status, 500);
  assert.match(answer["message"]!, /returned after 1 steps, but .* step 2, "b"/);
});

test("a step inside a step is refused, whether its error is caught or not", async () => {
  for (const swallow of [false, true]) {
    const { statuses, state, stub } = await play(
      (context) =>
        context.run("outer", async () => {
          const inner = context.run("inner", () => 1);
          return swallow ? inner.catch(() => 2) : inner;
        }),
      { retries: 0 },
    );
    assert.equal(state, "failed");
    assert.equal(statuses[0], 500);
    assert.match(stub.deliveries[0]!.body, /step \\"inner\\" is called inside step \\"outer\\"/);
    assert.deepEqual(stub.calls, []);
  }
});

test("only the planned step is done, and the others are left to their own deliveries", async () => {
  const done: string[] = [];
  const work = (context: Context): Promise<unknown> =>
    Promise.all(["a", "b"].map((name) => context.run(name, () => done.push(name))));
  const { status, asked } = await deliver([plan(1, "a", 2), plan(2, "b", 2)], work);
  assert.equal(status, 200);
  assert.deepEqual(done, ["b"]);
  const [item] = JSON.parse(asked[0]!) as { body: string }[];
  assert.deepEqual(JSON.parse(item!.body), result(2, "b", { concurrent: 2, out: "1" }));
});

test("the first plan knows of no other, and is enough", async () => {
  const { status, asked } = await deliver([plan(1, "a", 2)], (context) =>
    Promise.all(["a", "b"].map((name) => context.run(name, () => name))),
  );
  assert.equal(status, 200);
  assert.match(asked[0]!, /\\"stepName\\":\\"a\\"/);
});

test("a result of a group that is not complete is answered and nothing is done", async () => {
  const steps = [plan(1, "a", 2), plan(2, "b", 2), result(1, "a", { concurrent: 2 })];
  const { status, asked } = await deliver(steps, (context) =>
    Promise.all(["a", "b"].map((name) => context.run(name, () => assert.fail("is done")))),
  );
  assert.equal(status, 200);
  assert.deepEqual(asked, []);
});

test("an entry that says what an earlier one said is answered as a duplicate", async () => {
  const { answer, asked } = await deliver([result(1, "a"), result(1, "a")], (context) =>
    context.run("a", () => 1),
  );
  assert.equal(answer["finishCondition"], "duplicate-step");
  assert.deepEqual(asked, []);
});

test("a duplicate further back is no obstacle, and the first one counts", async () => {
  const steps = [result(1, "a", { out: "1" }), result(1, "a", { out: "2" }), result(2, "b")];
  const { status, asked } = await deliver(steps, async (context) => {
    const first = await context.run("a", () => 0);
    await context.run("b", () => 0);
    return first;
  });
  assert.equal(status, 200);
  assert.deepEqual(asked, ["1"]);
});

test("what is no history is refused with a sentence", async () => {
  const { status, answer } = await deliver([{ stepId: "x" }], (context) =>
    context.run("a", () => 1),
  );
  assert.equal(status, 500);
  assert.match(answer["message"]!, /a step that cannot be read/);
});

test("a run that has ended in the meantime is no failure", async () => {
  const { state, stub } = await play(async (context, { runs }) => {
    await context.run("slow", () => {
      for (const run of runs.values()) run.state = "canceled";
    });
  });
  assert.equal(state, "canceled");
  assert.deepEqual(
    stub.deliveries.map(({ status }) => status),
    [200],
  );
  assert.match(stub.deliveries[0]!.body, /workflow-already-ended/);
});

test("finally blocks of the function do not run at every step", async () => {
  let ends = 0;
  const { state } = await play(async (context) => {
    try {
      await context.run("one", () => 1);
      await context.run("two", () => 2);
    } finally {
      ends++;
    }
  });
  assert.equal(state, "success");
  assert.equal(ends, 1);
});

test("a name that is empty and a sleep that makes no sense are errors of the function", async () => {
  const wrong: ((context: Context) => Promise<unknown>)[] = [
    (context) => context.run("", () => 1),
    (context) => context.sleep("x", -1),
    (context) => context.sleep("x", Number.NaN),
    // The name was forgotten, or the duration.
    (context) => context.sleep("2s", undefined as never),
    (context) => context.sleep("x", null as never),
    (context) => context.sleepUntil("x", "no date"),
  ];
  for (const workflow of wrong) {
    const { status, answer } = await deliver([], workflow);
    assert.equal(status, 500);
    assert.equal(answer["error"], "WorkflowError");
  }
});
