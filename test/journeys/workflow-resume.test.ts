/** Failed runs that are taken up again, and the reports of their failure. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serve } from "@upstash/workflow";
import { eventually } from "../support/eventually.ts";
import { type WorkflowJourney, workflowJourneys } from "../support/workflow-journeys.ts";

type Letter = Record<string, unknown>;

workflowJourneys("failed runs taken up again", {}, (journey) => {
  test("a run that is resumed does again only what was not done", async () => {
    const { client } = journey;
    const flow = serveFlow(journey, "/resumed");
    const { workflowRunId } = await client.trigger({
      url: flow.url,
      body: { n: 7 },
      retries: 0,
      label: "resumed",
      headers: { "X-Own": "kept" },
    });
    await journey.phase(workflowRunId, "failed");
    assert.deepEqual(flow.done.toSorted(), ["good", "one"]);
    flow.isMended = true;
    const { dlqId } = await letterOf(journey, workflowRunId);
    const resumed = await client.dlq.resume({ dlqId: dlqId as string });
    assert.notEqual(resumed.workflowRunId, workflowRunId);
    await journey.phase(resumed.workflowRunId, "success");
    assert.deepEqual(flow.done.toSorted(), ["bad", "good", "last 7 kept", "one"]);
    const { runs } = await client.logs({ workflowRunId: resumed.workflowRunId });
    assert.equal(runs[0]?.workflowState, "RUN_SUCCESS");
    assert.deepEqual((runs[0] as unknown as Letter)["labels"], ["resumed"]);
    assert.equal(runs[0]?.steps.length, 4);
    // It has left the dead letters, and is not resumed twice.
    const again = await journey.service.call("POST", `/v2/workflows/dlq/resume/${dlqId as string}`);
    assert.equal(again.status, 404);
  });

  test("a run that is started again does everything again", async () => {
    const { client } = journey;
    const flow = serveFlow(journey, "/restarted");
    const { workflowRunId } = await client.trigger({ url: flow.url, body: { n: 8 }, retries: 0 });
    await journey.phase(workflowRunId, "failed");
    flow.isMended = true;
    const { dlqId } = await letterOf(journey, workflowRunId);
    const restarted = await client.dlq.restart({ dlqId: dlqId as string });
    await journey.phase(restarted.workflowRunId, "success");
    const once = ["one", "good"];
    assert.deepEqual(flow.done.toSorted(), [...once, ...once, "bad", "last 8 "].toSorted());
  });

  test("the new run is called as the caller says, unless a run of that name is under way", async () => {
    const { client, service } = journey;
    const flow = serveFlow(journey, "/named");
    for (const verb of ["resume", "restart"]) {
      flow.isMended = false;
      const { workflowRunId } = await client.trigger({ url: flow.url, retries: 0 });
      await journey.phase(workflowRunId, "failed");
      const { dlqId } = await letterOf(journey, workflowRunId);
      const path = `/v2/workflows/dlq/${verb}/${dlqId as string}`;
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
      flow.isMended = false;
      const { workflowRunId } = await client.trigger({ url: flow.url, retries: 0 });
      await journey.phase(workflowRunId, "failed");
      const { dlqId } = await letterOf(journey, workflowRunId);
      const { status, json } = await service.call(
        "POST",
        `/v2/workflows/dlq/restart/${dlqId as string}`,
        {
          headers: {
            [`${prefix}Retries`]: "2",
            [`${prefix}Retry-Delay`]: "1000",
            [`${prefix}Delay`]: "1h",
            [`${prefix}Label`]: "replaced,again",
            [`${prefix}Flow-Control-Key`]: "replaced-key",
            [`${prefix}Flow-Control-Value`]: "parallelism=1",
            [`${prefix}Failure-Callback`]: `${journey.destination.url}/elsewhere`,
          },
        },
      );
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
    for (let n = 0; n < 3; n += 1) {
      const { workflowRunId } = await client.trigger({ url: flow.url, retries: 0, label: "many" });
      await journey.phase(workflowRunId, "failed");
    }
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
    const { client, service } = journey;
    const flow = serveFlow(journey, "/untouched");
    const { workflowRunId } = await client.trigger({ url: flow.url, retries: 0 });
    await journey.phase(workflowRunId, "failed");
    const { dlqId } = await letterOf(journey, workflowRunId);
    const id = dlqId as string;
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
    assert.equal((await letterOf(journey, workflowRunId))["dlqId"], id);
  });

  test("an address that a failed run has given away leads to the run that follows it", async () => {
    const { endpoint, client, serveOptions, service } = journey;
    let hook = "";
    let isMended = false;
    const { handler } = serve(async (context) => {
      const webhook = await context.createWebhook("hook");
      hook = webhook.webhookUrl;
      await context.run("breaks", () => {
        if (!isMended) throw new Error("not yet");
      });
      const { timeout } = await context.waitForWebhook("called", webhook, "1h");
      return timeout;
    }, serveOptions);
    const url = endpoint.serve("/hooked", handler);
    const { workflowRunId } = await client.trigger({ url, retries: 0 });
    await journey.phase(workflowRunId, "failed");
    isMended = true;
    const { dlqId } = await letterOf(journey, workflowRunId);
    const resumed = await client.dlq.resume({ dlqId: dlqId as string });
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
    const letter = await reportIn(journey, workflowRunId, "CALLBACK_FAIL");
    const answer = await client.dlq.retryFailureFunction({ dlqId: letter["dlqId"] as string });
    assert.equal(answer.workflowRunId, workflowRunId);
    await reportIn(journey, workflowRunId, "CALLBACK_SUCCESS");
    assert.equal(destination.to("/report").length, 2);
  });

  test("a report that is under way is stopped", async () => {
    const { client, service, destination } = journey;
    const flow = serveFlow(journey, "/stopped");
    destination.respond = () => ({ status: 500, headers: { "Retry-After": "3600" } });
    const { json } = await service.call("POST", `/v2/trigger/${flow.url}`, {
      headers: {
        "Upstash-Retries": "0",
        "Upstash-Failure-Callback": `${destination.url}/stopped-report`,
        "Upstash-Failure-Callback-Retries": "1",
      },
    });
    const runId = json["workflowRunId"] as string;
    await destination.received("/stopped-report");
    const { dlqId } = await reportIn(journey, runId, "CALLBACK_INPROGRESS");
    const path = `/v2/workflows/dlq/callback/${dlqId as string}`;
    const { status } = await service.call("DELETE", path);
    assert.equal(status, 200);
    await reportIn(journey, runId, "CALLBACK_CANCELED");
    assert.equal((await service.call("DELETE", path)).status, 400);
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
  const { endpoint, serveOptions, service } = journey;
  const done: string[] = [];
  const flow = { url: `${endpoint.url}${path}`, done, isMended: false };
  const { handler } = serve<{ n?: number } | undefined>(async (context) => {
    await context.run("one", () => void done.push("one"));
    await Promise.all([
      context.run("good", () => void done.push("good")),
      context.run("bad", async () => {
        if (flow.isMended) return void done.push("bad");
        await eventually(async () => {
          const rows = await service.select(
            `SELECT ordinal FROM run_entries
             WHERE run_id = '${context.workflowRunId}' AND step_key = 'r:2'`,
          );
          return rows.length > 0 || null;
        }, "the result of the other branch");
        throw new Error("not yet");
      }),
    ]);
    await context.run("last", () => {
      const own = context.headers.get("x-own") ?? "";
      done.push(`last ${context.requestPayload?.n ?? ""} ${own}`);
    });
  }, serveOptions);
  endpoint.serve(path, handler);
  return flow;
}

async function letterOf({ service }: WorkflowJourney, runId: string): Promise<Letter> {
  const { json } = await service.call("GET", `/v2/workflows/dlq?workflowRunId=${runId}`);
  return (json["messages"] as Letter[])[0]!;
}

function reportIn(journey: WorkflowJourney, runId: string, state: string): Promise<Letter> {
  return eventually(async () => {
    const letter = (await letterOf(journey, runId)) as Letter | undefined;
    return letter?.["failureFunctionState"] === state ? letter : null;
  }, `the report in ${state}`);
}
