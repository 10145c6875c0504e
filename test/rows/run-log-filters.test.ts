/** Every parameter of the list of runs, as section 4.6 of the specification lists them. */
import assert from "node:assert/strict";
import { before } from "node:test";
import { sdkJourneys } from "../support/sdk-journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { rowTests } from "./row-tests.ts";

sdkJourneys("4.6", {}, (journey) => {
  let urls: [first: string, second: string];
  const createdAt: Record<string, number> = {};

  async function list(query: string): Promise<{ runs: Item[]; cursor: unknown }> {
    const { status, json, text } = await journey.service.call("GET", `/v2/workflows/logs?${query}`);
    assert.equal(status, 200, text);
    return { runs: json["runs"] as Item[], cursor: json["cursor"] };
  }

  const ids = async (query: string): Promise<unknown[]> =>
    (await list(query)).runs.map(({ workflowRunId }) => workflowRunId);

  /** The payload of run a, as far as it is shown. */
  async function outOf(query: string): Promise<unknown> {
    const [run] = (await list(`workflowRunId=a${query}`)).runs;
    return (run!["steps"] as { steps: Item[] }[])[0]?.steps[0]?.["out"];
  }

  /** Newest first: d failed, c and a went well, b sleeps. */
  before(async () => {
    const quick = journey.serve("/quick", (context) => context.run("work", () => "done"));
    const other = journey.serve("/other", async (context) => {
      if (context.payload === "sleep") await context.sleep("long", "1h");
      await context.run("work", () => {
        throw new Error("no luck");
      });
    });
    urls = [quick, other];
    const start = async (
      runId: string,
      url: string,
      headers: Record<string, string>,
      body = "",
    ) => {
      const path = `/v2/trigger/${url}`;
      const given = { "Svc-Workflow-RunId": runId, "Svc-Retries": "0", ...headers };
      const { json } = await journey.service.call("POST", path, { headers: given, body });
      createdAt[runId] = json["workflowCreatedAt"] as number;
    };
    const keyed = { "Svc-Flow-Control-Key": "key", "Svc-Flow-Control-Value": "parallelism=9" };
    await start("a", quick, { "Svc-Label": "red,blue" }, "payload");
    await journey.phase("a", "success");
    await start("b", other, { "Svc-Label": "green" }, '"sleep"');
    await start("c", quick, keyed);
    await start("d", other, {});
    await journey.phase("c", "success");
    await journey.phase("d", "failed");
  });

  rowTests("4.6", "List workflow run logs", {
    cursor: async () => {
      const first = await list("count=3");
      const next = encodeURIComponent(first.cursor as string);
      const second = await list(`count=3&cursor=${next}`);
      const runs = [...first.runs, ...second.runs].map(({ workflowRunId }) => workflowRunId);
      assert.deepEqual(runs, ["d", "c", "b", "a"]);
      assert.equal(second.cursor, "");
    },
    workflowUrl: async () => {
      assert.deepEqual(await ids(`workflowUrl=${encodeURIComponent(urls[0])}`), ["c", "a"]);
      const start = encodeURIComponent(urls[0].slice(0, -2));
      assert.deepEqual(await ids(`workflowUrl=${start}`), []);
      const { status } = await journey.service.call("GET", "/v2/workflows/logs?workflowUrl=quick");
      assert.equal(status, 400);
    },
    workflowRunId: async () => assert.deepEqual(await ids("workflowRunId=b"), ["b"]),
    workflowCreatedAt: async () => {
      const found = await ids(`workflowRunId=b&workflowCreatedAt=${createdAt["b"]}`);
      assert.deepEqual(found, ["b"]);
      assert.deepEqual(await ids("workflowRunId=b&workflowCreatedAt=1"), []);
    },
    workflowRuns: async () => {
      const pairs = ["a", "b"].map((id) => `${id}@${createdAt[id]}`).join(",");
      assert.deepEqual(await ids(`workflowRuns=${pairs}&state=RUN_FAILED`), ["b", "a"]);
    },
    state: async () => {
      assert.deepEqual(await ids("state=RUN_SUCCESS"), ["c", "a"]);
      assert.deepEqual(await ids("state=RUN_STARTED"), ["b"]);
      assert.deepEqual(await ids("state=RUN_FAILED"), ["d"]);
      const { status } = await journey.service.call("GET", "/v2/workflows/logs?state=ODD");
      assert.equal(status, 400);
    },
    fromDate: async () =>
      assert.deepEqual(await ids(`fromDate=${createdAt["b"]}`), ["d", "c", "b"]),
    toDate: async () => assert.deepEqual(await ids(`toDate=${createdAt["b"]}`), ["b", "a"]),
    count: async () => {
      assert.deepEqual(await ids("count=1"), ["d"]);
      for (const [query, status] of [
        ["count=1000", 200],
        ["count=1001", 400],
        ["count=10&groupBy=workflowRunId", 200],
        ["count=11&groupBy=workflowRunId", 400],
      ] as const) {
        const answer = await journey.service.call("GET", `/v2/workflows/logs?${query}`);
        assert.equal(answer.status, status, query);
      }
    },
    trimBody: async () => {
      assert.equal(await outOf(""), undefined);
      assert.equal(await outOf("&trimBody=-1"), undefined);
      assert.equal(await outOf("&trimBody=3"), "pay");
      assert.equal(await outOf("&trimBody=100"), "payload");
    },
    label: async () => {
      assert.deepEqual(await ids("label=blue"), ["a"]);
      assert.deepEqual(await ids("label=green&label=red"), ["b", "a"]);
    },
    flowControlKey: async () => assert.deepEqual(await ids("flowControlKey=key"), ["c"]),
    callerIp: async () => {
      assert.deepEqual(await ids("callerIp=127.0.0.1"), ["d", "c", "b", "a"]);
      assert.deepEqual(await ids("callerIp=10.0.0.1"), []);
    },
  });
});
