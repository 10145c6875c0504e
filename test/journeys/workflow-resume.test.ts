/** Failed runs that are taken up again, and the reports of their failure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TriggerOptions } from "@upstash/workflow";
import type { DeadLetter } from "../support/account-calls.ts";
import { eventually, until } from "../support/eventually.ts";
import { type WorkflowJourney, workflowJourneys } from "../support/workflow-journeys.ts";

type Letter = Record<string, unknown>;

workflowJourneys("failed runs taken up again", {}, (journey) => {
  /** Lets a run fail; answers its id, and that of its dead letter. */
  async function fail(flow: Flow, trigger: Omit<TriggerOptions, "url"> = {}) {
    flow.isMended = false;
    const runId = await journey.run(flow.url, "failed", { retries: 0, ...trigger });
    const { dlqId } = await journey.service.failedRun(runId);
    return { runId, dlqId };
  }

  /** The dead letter of a run, once the report of its failure has come to that state. */
  function reportIn(runId: string, state: string): Promise<DeadLetter> {
    return eventually(async () => {
      const letter = await journey.service.failedRun(runId);
      return letter["failureFunctionState"] === state ? letter : null;
    }, `the report in ${state}`);
  }

  test("a run that is resumed does again only what was not done", async () => {
    const { client, service } = journey;
    const flow = serveFlow(journey, "/resumed");
    const trigger = { body: { n: 7 }, label: "resumed", headers: { "X-Own": "kept" } };
    const { runId, dlqId } = await fail(flow, trigger);
    assert.deepEqual(flow.done.toSorted(), ["good", "one"]);
    flow.isMended = true;
    const resumed = await client.dlq.resume({ dlqId });
    assert.notEqual(resumed.workflowRunId, runId);
    await journey.phase(resumed.workflowRunId, "success");
    assert.deepEqual(flow.done.toSorted(), ["bad", "good", "last 7 kept", "one"]);
    const { runs } = await client.logs({ workflowRunId: resumed.workflowRunId });
    assert.equal(runs[0]?.workflowState, "RUN_SUCCESS");
    assert.deepEqual((runs[0] as unknown as Letter)["labels"], ["resumed"]);
    assert.equal(runs[0]?.steps.length, 4);
    // The two runs lead to each other.
    const { rerunOf } = runs[0] as unknown as { rerunOf: Letter };
    assert.equal(rerunOf["workflowRunId"], runId);
    const [failed] = (await client.logs({ workflowRunId: runId })).runs as unknown as Letter[];
    const { followedBy } = failed as { followedBy: Letter };
    assert.equal(followedBy["workflowRunId"], resumed.workflowRunId);
    assert.equal(rerunOf["workflowRunCreatedAt"], failed!["workflowRunCreatedAt"]);
    assert.equal(followedBy["workflowRunCreatedAt"], runs[0]?.workflowRunCreatedAt);
    // It has left the dead letters, and is not resumed twice.
    assert.equal(await service.status("POST", `/v2/workflows/dlq/resume/${dlqId}`), 404);
  });

  test("a run that is started again does everything again", async () => {
    const { client } = journey;
    const flow = serveFlow(journey, "/restarted");
    const { dlqId } = await fail(flow, { body: { n: 8 } });
    flow.isMended = true;
    const restarted = await client.dlq.restart({ dlqId });
    await journey.phase(restarted.workflowRunId, "success");
    const once = ["one", "good"];
    assert.deepEqual(flow.done.toSorted(), [...once, ...once, "bad", "last 8 "].toSorted());
  });

  test("the new run is called as the caller says, unless a run of that name is under way", async () => {
    const { client, service } = journey;
    const flow = serveFlow(journey, "/named");
    for (const verb of ["resume", "restart"]) {
      const { dlqId } = await fail(flow);
      const path = `/v2/workflows/dlq/${verb}/${dlqId}`;
      const again = (runId: string) =>
        service.call("POST", path, { headers: { "Svc-Workflow-RunId": runId } });
      const { workflowRunId: taken } = await client.trigger({ url: flow.url, delay: "1h" });
      const refused = await again(taken);
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.json["field"], "Workflow-RunId");
      assert.equal((await again("a/b")).status, 400);
      flow.isMended = true;
      const { status, json } = await again(`named-${verb}`);
      assert.deepEqual([status, json["workflowRunId"]], [200, `named-${verb}`]);
      await journey.phase(`named-${verb}`, "success");
      await client.cancel({ ids: [taken] });
    }
  });

  test("headers replace the settings of the run, in both dialects", async () => {
    const { client, service } = journey;
    const flow = serveFlow(journey, "/replaced");
    for (const prefix of ["Svc-", "Upstash-"]) {
      const { dlqId } = await fail(flow);
      const { status, json } = await service.call("POST", `/v2/workflows/dlq/restart/${dlqId}`, {
        headers: {
          [`${prefix}Retries`]: "2",
          [`${prefix}Retry-Delay`]: "1000",
          [`${prefix}Delay`]: "1h",
          [`${prefix}Label`]: "replaced,again",
          [`${prefix}Flow-Control-Key`]: "replaced-key",
          [`${prefix}Flow-Control-Value`]: "parallelism=1",
          [`${prefix}Failure-Callback`]: `${journey.destination.url}/elsewhere`,
        },
      });
      assert.equal(status, 200);
      const runId = json["workflowRunId"] as string;
      const { runs } = await client.logs({ workflowRunId: runId });
      const run = runs[0] as unknown as Letter;
      assert.deepEqual(run["labels"], ["replaced", "again"]);
      assert.equal(run["flowControlKey"], "replaced-key");
      const [init] = runs[0]!.steps[0]!.steps as unknown as Letter[];
      assert.equal(init?.["retries"], 2);
      assert.equal(init?.["retryDelay"], "1000");
      const [next] = runs[0]!.steps[1]!.steps as unknown as Letter[];
      assert.ok((next?.["nextDeliveryTime"] as number) > Number(json["workflowCreatedAt"]));
      await service.call("DELETE", `/v2/workflows/runs/${runId}`);
    }
  });

  test("many are taken up by filters, as many as are asked for", async () => {
    const { client, service } = journey;
    const flow = serveFlow(journey, "/several");
    for (let n = 0; n < 3; n += 1) await fail(flow, { label: "many" });
    flow.isMended = true;
    const first = await client.dlq.resume({ filter: { label: "many" }, count: 2 });
    assert.equal(first.workflowRuns.length, 2);
    assert.ok(first.cursor);
    // Without a count, all that are left.
    const rest = await service.call("POST", "/v2/workflows/dlq/restart?label=many");
    assert.equal((rest.json["workflowRuns"] as unknown[]).length, 1);
    assert.equal(rest.json["cursor"], "");
    for (const { workflowRunId } of first.workflowRuns) {
      await journey.phase(workflowRunId, "success");
    }
  });

  test("a call that is malformed, or names what is not there, changes nothing", async () => {
    const { service } = journey;
    const flow = serveFlow(journey, "/untouched");
    const { runId, dlqId: id } = await fail(flow);
    const bad: readonly [path: string, headers: Record<string, string>, status: number][] = [
      [`resume?dlqIds=${id}&dlqIds=1-1`, {}, 404],
      ["resume/1-1", {}, 404],
      ["restart/nothing", {}, 404],
      ["resume?unknown=1", {}, 400],
      ["resume?count=0", {}, 400],
      [`resume/${id}`, { "Svc-Retries": "x" }, 400],
      [`resume/${id}`, { "Svc-Retries": "1000000" }, 412],
      [`restart/${id}`, { "Svc-Failure-Callback": "nowhere" }, 400],
      [`restart/${id}`, { "Svc-Flow-Control-Key": "k" }, 400],
      [`callback/${id}`, {}, 400],
      ["callback/1-1", {}, 404],
    ];
    for (const [path, headers, wanted] of bad) {
      const { status, text } = await service.call("POST", `/v2/workflows/dlq/${path}`, { headers });
      assert.equal(status, wanted, `${path} ${text}`);
    }
    assert.equal((await service.failedRun(runId)).dlqId, id);
  });

  test("an address that a failed run has given away leads to the run that follows it", async () => {
    const { client, service } = journey;
    let hook = "";
    let isMended = false;
    const url = journey.serve("/hooked", async (context) => {
      const webhook = await context.createWebhook("hook");
      hook = webhook.webhookUrl;
      await context.run("breaks", () => {
        if (!isMended) throw new Error("not yet");
      });
      const { timeout } = await context.waitForWebhook("called", webhook, "1h");
      return timeout;
    });
    const workflowRunId = await journey.run(url, "failed", { retries: 0 });
    isMended = true;
    const { dlqId } = await service.failedRun(workflowRunId);
    const resumed = await client.dlq.resume({ dlqId });
    const { status } = await service.call("POST", new URL(hook).pathname, { body: "ring" });
    assert.equal(status, 200);
    await journey.phase(resumed.workflowRunId, "success");
  });

  test("a report that has failed is sent again", async () => {
    const { client, destination } = journey;
    const flow = serveFlow(journey, "/reported");
    destination.respond = (_request, nth) => ({ status: nth === 1 ? 500 : 200 });
    const { workflowRunId } = await client.trigger({
      url: flow.url,
      retries: 0,
      failureUrl: `${destination.url}/report`,
    });
    const { dlqId } = await reportIn(workflowRunId, "CALLBACK_FAIL");
    const answer = await client.dlq.retryFailureFunction({ dlqId });
    assert.equal(answer.workflowRunId, workflowRunId);
    await reportIn(workflowRunId, "CALLBACK_SUCCESS");
    assert.equal(destination.to("/report").length, 2);
  });

  test("a report that is under way is stopped", async () => {
    const { client, service, destination } = journey;
    const flow = serveFlow(journey, "/stopped");
    destination.respond = () => ({ status: 500, headers: { "Retry-After": "3600" } });
    const runId = await service.trigger(flow.url, {
      "Upstash-Retries": "0",
      "Upstash-Failure-Callback": `${destination.url}/stopped-report`,
      "Upstash-Failure-Callback-Retries": "1",
    });
    await destination.received("/stopped-report");
    const { dlqId } = await reportIn(runId, "CALLBACK_INPROGRESS");
    const path = `/v2/workflows/dlq/callback/${dlqId}`;
    assert.equal(await service.status("DELETE", path), 200);
    await reportIn(runId, "CALLBACK_CANCELED");
    assert.equal(await service.status("DELETE", path), 400);
    const { runs } = await client.logs({ workflowRunId: runId });
    assert.equal(runs[0]?.failureFunction?.state, "CALLBACK_CANCELED");
  });
});

interface Flow {
  readonly url: string;
  /** What its steps have done. */
  readonly done: string[];
  isMended: boolean;
}

/** A workflow of which one branch fails until it is mended. */
function serveFlow(journey: WorkflowJourney, path: string): Flow {
  const { endpoint, service } = journey;
  const done: string[] = [];
  const flow = { url: `${endpoint.url}${path}`, done, isMended: false };
  journey.serve<{ n?: number } | undefined>(path, async (context) => {
    await context.run("one", () => void done.push("one"));
    await Promise.all([
      context.run("good", () => void done.push("good")),
      context.run("bad", async () => {
        if (flow.isMended) return void done.push("bad");
        const otherResult = `SELECT ordinal FROM run_entries
          WHERE run_id = '${context.workflowRunId}' AND step_key = 'r:2'`;
        await until(
          async () => (await service.select(otherResult)).length > 0,
          "the result of the other branch",
        );
        throw new Error("not yet");
      }),
    ]);
    await context.run("last", () => {
      const own = context.headers.get("x-own") ?? "";
      done.push(`last ${context.requestPayload?.n ?? ""} ${own}`);
    });
  });
  return flow;
}
