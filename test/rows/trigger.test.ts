/** Every header with which a run is triggered, as section 4.5 of the specification lists them. */
import assert from "node:assert/strict";
import type { CallAnswer } from "../support/http-call.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually, until } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

sdkJourneys("4.5", {}, (journey) => {
  const trigger = (
    url: string,
    headers: Readonly<Record<string, string>> = {},
    body = "",
  ): Promise<CallAnswer> => journey.service.call("POST", `/v2/trigger/${url}`, { headers, body });

  async function logOf(runId: string): Promise<Item> {
    const path = `/v2/workflows/logs?workflowRunId=${runId}&trimBody=1000`;
    const { json } = await journey.service.call("GET", path);
    return (json["runs"] as Item[])[0]!;
  }

  /** A workflow whose one step fails always. */
  const failing = (path: string): string =>
    journey.serve(path, (context) =>
      context.run("breaks", () => {
        throw new Error("no luck");
      }),
    );

  /** A workflow that tells what its endpoint was called with. */
  const telling = (path: string): string =>
    journey.serve(path, (context) => context.run("tell", () => context.headers.get("x-own")));

  /** How long the first delivery waits, in milliseconds. */
  async function waitOf(headers: Readonly<Record<string, string>>): Promise<number> {
    const runId = await runIdOf(trigger(telling("/later"), headers));
    const run = await logOf(runId);
    const [row] = await journey.service.select(
      `SELECT max(ready_at) AS at FROM messages WHERE run_id = '${runId}'`,
    );
    return Number(row?.["at"]) - (run["workflowRunCreatedAt"] as number);
  }

  rowTests("4.5", "Trigger a workflow run", {
    "Svc-Workflow-RunId": async () => {
      const url = telling("/run-id");
      const given = await trigger(url, { "Svc-Workflow-RunId": "own-run" });
      assert.equal(given.json["workflowRunId"], "own-run");
      assert.equal(typeof given.json["workflowCreatedAt"], "number");
      assert.match(await runIdOf(trigger(url)), /^wfr_/);
      await journey.phase("own-run", "success");
    },
    "Svc-Forward-*": async () => {
      const runId = await runIdOf(trigger(telling("/forward"), { "Svc-Forward-X-Own": "one" }));
      await journey.phase(runId, "success");
      assert.equal(await journey.result(runId), "one");
      for (const { headers } of journey.endpoint.to("/forward")) {
        assert.equal(headers["x-own"], "one");
      }
    },
    "Svc-Retries": async () => {
      const url = failing("/retries");
      const headers = { "Svc-Retries": "1", "Svc-Retry-Delay": "0" };
      await journey.phase(await runIdOf(trigger(url, headers)), "failed");
      const failed = journey.endpoint.to("/retries");
      assert.deepEqual(
        failed.slice(0, 2).map((call) => call.headers["svc-retried"]),
        ["0", "1"],
      );
      const standard = await runIdOf(trigger(telling("/standard"), {}));
      const [group] = (await logOf(standard))["steps"] as { steps: Item[] }[];
      assert.equal(group?.steps[0]?.["retries"], 3);
    },
    "Svc-Delay": async () => assert.equal(await waitOf({ "Svc-Delay": "1d2m" }), 86_520_000),
    "Svc-Not-Before": async () => {
      const at = Math.floor(Date.now() / 1_000) + 7_200;
      const waitMs = await waitOf({ "Svc-Not-Before": String(at), "Svc-Delay": "1s" });
      assert.ok(waitMs > 7_100_000 && waitMs <= 7_200_000, String(waitMs));
    },
    "Svc-Label": async () => {
      const runId = await runIdOf(trigger(telling("/label"), { "Svc-Label": "red,blue" }));
      assert.deepEqual((await logOf(runId))["labels"], ["red", "blue"]);
    },
    "Svc-Flow-Control-Key": async () => {
      const { service } = journey;
      await service.call("POST", "/v2/flowControl/shut/pause");
      const headers = {
        "Svc-Flow-Control-Key": "shut",
        "Svc-Flow-Control-Value": "parallelism=1",
      };
      const runId = await runIdOf(trigger(telling("/keyed"), headers));
      assert.equal((await logOf(runId))["flowControlKey"], "shut");
      await until(async () => {
        const { json } = await service.call("GET", "/v2/flowControl/shut");
        return json["waitListSize"] === 1;
      }, "one that waits");
      assert.equal(journey.endpoint.to("/keyed").length, 0);
      await service.call("POST", "/v2/flowControl/shut/resume");
      await journey.phase(runId, "success");
    },
    "Svc-Flow-Control-Value": async () => {
      const { service } = journey;
      await trigger(telling("/valued"), {
        "Svc-Flow-Control-Key": "valued",
        "Svc-Flow-Control-Value": "parallelism=3, rate=4, period=60",
      });
      const { json } = await service.call("GET", "/v2/flowControl/valued");
      const { parallelismMax, rateMax, ratePeriod } = json;
      assert.deepEqual([parallelismMax, rateMax, ratePeriod], [3, 4, 60]);
      const alone = await trigger(telling("/valued"), { "Svc-Flow-Control-Key": "valued" });
      assert.equal(alone.status, 400);
    },
    "Svc-Failure-Callback": async () => {
      const { destination } = journey;
      const headers = {
        "Svc-Retries": "0",
        "Svc-Failure-Callback": `${destination.url}/failed`,
      };
      const runId = await runIdOf(trigger(failing("/elsewhere"), headers, "payload"));
      const [told] = await destination.received("/failed");
      const payload = JSON.parse(told?.body.toString() ?? "{}") as Item;
      assert.deepEqual([payload["workflowRunId"], payload["status"]], [runId, 500]);
      assert.equal(payload["sourceBody"], Buffer.from("payload").toString("base64"));
      assert.match(payload["dlqId"] as string, /^\d+-\d+$/);
    },
    "Svc-Failure-Callback-Forward-*": async () => {
      const { destination } = journey;
      await trigger(failing("/forwarding"), {
        "Svc-Retries": "0",
        "Svc-Failure-Callback": `${destination.url}/failed-forward`,
        "Svc-Failure-Callback-Forward-X-Own": "two",
      });
      const [told] = await destination.received("/failed-forward");
      assert.equal(told?.headers["x-own"], "two");
    },
    "Svc-Retry-Delay": async () => {
      const headers = { "Svc-Retry-Delay": "pow(10, 7)" };
      const runId = await runIdOf(trigger(failing("/slow"), headers));
      const next = await eventually(async () => {
        const groups = (await logOf(runId))["steps"] as { type: string; steps: Item[] }[];
        const record = groups.find(({ type }) => type === "next")?.steps[0];
        return record?.["state"] === "STEP_RETRY" ? record : null;
      }, "a retry");
      const waitMs = (next["nextDeliveryTime"] as number) - Date.now();
      assert.ok(waitMs > 9_900_000 && waitMs <= 10_000_000, String(waitMs));
    },
  });
});

async function runIdOf(answer: Promise<CallAnswer>): Promise<string> {
  const { status, json, text } = await answer;
  assert.equal(status, 200, text);
  return json["workflowRunId"] as string;
}
