/** Cancelling many runs at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { workflowJourneys } from "../support/workflow-journeys.ts";

workflowJourneys("cancelling many runs", {}, (journey) => {
  async function trigger(path: string, runId: string, headers: Record<string, string> = {}) {
    const { service, destination } = journey;
    const answer = await service.call("POST", `/v2/trigger/${destination.url}${path}`, {
      headers: { "Svc-Workflow-RunId": runId, "Svc-Delay": "1h", ...headers },
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.json["workflowCreatedAt"] as number;
  }

  async function cancel(query: string, body?: object): Promise<unknown> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const { status, json, text } = await journey.service.call(
      "DELETE",
      `/v2/workflows/runs${query}`,
      sent,
    );
    assert.equal(status, 200, text);
    return json["cancelled"];
  }

  test("runs are cancelled by every filter, once", async () => {
    const { destination } = journey;
    const url = encodeURIComponent(`${destination.url}/bulk`);
    await trigger("/bulk/a", "bulk-1", { "Svc-Label": "red,blue" });
    await trigger("/bulk/b", "bulk-2", {
      "Svc-Flow-Control-Key": "slow",
      "Svc-Flow-Control-Value": "parallelism=1",
    });
    const madeAt = await trigger("/bulk", "bulk-3");
    const later = await trigger("/bulk", "bulk-4");
    assert.equal(await cancel("?label=green"), 0);
    assert.equal(await cancel("?label=blue"), 1);
    assert.equal(await cancel("?label=blue"), 0);
    assert.equal(await cancel("?flowControlKey=slow"), 1);
    assert.equal(await cancel("?callerIp=192.0.2.1"), 0);
    assert.equal(await cancel(`?workflowUrl=${url}&workflowUrlExactMatch=true&toDate=1`), 0);
    assert.equal(await cancel(`?workflowUrl=${url}&fromDate=${madeAt}&toDate=${madeAt}`), 1);
    assert.equal(await cancel(`?fromDate=${later}&workflowUrl=${url}&count=1`), 1);
    await trigger("/bulk/c", "bulk-5");
    await trigger("/bulk", "bulk-6");
    assert.equal(await cancel(`?workflowUrl=${url}&workflowUrlExactMatch=true`), 1);
    assert.equal(await cancel("?workflowRunIds=bulk-5,bulk-6&workflowRunIds=unknown"), 1);
    await journey.phase("bulk-5", "canceled");
  });

  test("as many runs are cancelled as count says, also a hundred", async () => {
    const { service, destination } = journey;
    const runs = Array.from({ length: 105 }, (_, index) => ({
      destination: `${destination.url}/counted`,
      headers: { "Svc-Workflow-RunId": `counted-${index}`, "Svc-Delay": "1h", "Svc-Label": "c" },
    }));
    const answer = await service.call("POST", "/v2/batch/trigger", { body: JSON.stringify(runs) });
    assert.equal(answer.status, 201);
    assert.equal(await cancel("?label=c&count=1"), 1);
    assert.equal(await cancel("?label=c&count=100"), 100);
    assert.equal(await cancel("", { label: "c", count: 3 }), 3);
    assert.equal(await cancel("?label=c&count=101"), 1);
  });

  test("older clients name the runs in a body", async () => {
    const { destination } = journey;
    for (const id of ["body-1", "body-2", "body-3", "body-4"]) await trigger(`/body/${id}`, id);
    assert.equal(await cancel("", { workflowRunIds: ["body-1", "unknown"] }), 1);
    assert.equal(await cancel("", { workflowUrl: `${destination.url}/body/body-2` }), 1);
    assert.equal(await cancel("", {}), 2);
    assert.equal(await cancel("", {}), 0);
  });

  test("the client cancels by ids and by URL", async () => {
    const { client, destination } = journey;
    for (const id of ["own-1", "own-2", "own-3"]) await trigger(`/own/${id}`, id);
    assert.deepEqual(await client.cancel({ ids: ["own-1"] }), { cancelled: 1 });
    assert.deepEqual(await client.cancel({ ids: "own-1" }), { cancelled: 0 });
    const urlStartingWith = `${destination.url}/own/`;
    assert.deepEqual(await client.cancel({ urlStartingWith }), { cancelled: 2 });
  });

  test("a filter that is not understood cancels nothing", async () => {
    const { service } = journey;
    await trigger("/strict", "strict-run");
    const bad = [
      "?labels=a",
      "?count=0",
      "?count=x",
      "?fromDate=yesterday",
      "?label=",
      "?workflowUrlExactMatch=yes",
    ];
    for (const query of bad) {
      const { status, text } = await service.call("DELETE", `/v2/workflows/runs${query}`);
      assert.equal(status, 400, `${query} ${text}`);
    }
    for (const body of ["[]", "{", '{"other":1}', '{"workflowRunIds":[{}]}', '{"label":[]}']) {
      const { status } = await service.call("DELETE", "/v2/workflows/runs", { body });
      assert.equal(status, 400, body);
    }
    assert.equal(await cancel("?workflowRunIds=strict-run"), 1);
  });
});
