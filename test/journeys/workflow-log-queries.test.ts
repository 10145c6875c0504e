/** What can be asked of the log of runs, and what it hides. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/eventually.ts";
import { workflowJourneys } from "../support/workflow-journeys.ts";

interface Run {
  readonly steps: readonly { readonly steps: readonly Record<string, unknown>[] }[];
  readonly [field: string]: unknown;
}

workflowJourneys("queries of workflow logs", {}, (journey) => {
  test("runs are found by every filter, page by page", async () => {
    const { service, destination } = journey;
    const url = `${destination.url}/filtered`;
    const ids = ["f1", "f2", "f3"];
    const createdAt: number[] = [];
    for (const id of ids) {
      const { json } = await service.call("POST", `/v2/trigger/${url}`, {
        headers: {
          "Svc-Workflow-RunId": id,
          "Svc-Label": `label-${id},common`,
          "Svc-Delay": "1h",
          "Svc-Flow-Control-Key": `key-${id}`,
          "Svc-Flow-Control-Value": "parallelism=1",
        },
        body: "payload",
      });
      createdAt.push(json["workflowCreatedAt"] as number);
    }
    const found = async (query: string): Promise<unknown[]> => {
      const { status, json } = await service.call("GET", `/v2/workflows/logs?${query}`);
      assert.equal(status, 200, query);
      assert.equal(json["cursor"], "", query);
      return (json["runs"] as Run[]).map((run) => run["workflowRunId"]);
    };
    const at = `workflowUrl=${encodeURIComponent(url)}`;
    assert.deepEqual(await found(at), ["f3", "f2", "f1"]);
    assert.deepEqual(await found("label=label-f1&label=label-f2"), ["f2", "f1"]);
    assert.deepEqual(await found("label=common&state=STEP_PROGRESS"), ["f3", "f2", "f1"]);
    assert.deepEqual(await found("label=common&state=RUN_SUCCESS"), []);
    assert.deepEqual(await found("flowControlKey=key-f2"), ["f2"]);
    assert.deepEqual(await found("search=LABEL-f2"), ["f2"]);
    assert.deepEqual(await found("search=/FILTERED"), ["f3", "f2", "f1"]);
    assert.deepEqual(await found("search=/filtered/no"), []);
    assert.deepEqual(await found(`${at}&waitingFor=sleep,event`), []);
    assert.deepEqual(await found("workflowRunId=f3"), ["f3"]);
    assert.deepEqual(await found(`workflowRunId=f3&workflowCreatedAt=${createdAt[2]}`), ["f3"]);
    assert.deepEqual(await found("workflowRunId=f3&workflowCreatedAt=1"), []);
    assert.deepEqual(await found(`${at}&callerIp=203.0.113.9`), []);
    assert.deepEqual(await found(`${at}&fromDate=${createdAt[2]! + 1}`), []);
    assert.deepEqual(await found(`${at}&toDate=${createdAt[0]! - 1}`), []);
    const pairs = `f1@${createdAt[0]},f2@${createdAt[1]},f3@1`;
    assert.deepEqual(await found(`workflowRuns=${pairs}&label=nothing`), ["f2", "f1"]);
    const first = await service.call("GET", `/v2/workflows/logs?${at}&count=2`);
    assert.equal((first.json["runs"] as unknown[]).length, 2);
    const cursor = encodeURIComponent(String(first.json["cursor"]));
    assert.deepEqual(await found(`${at}&count=2&cursor=${cursor}`), ["f1"]);
  });

  test("runs that sleep, and those that wait for an event, are found", async () => {
    const sleeps = journey.serve("/asleep", async (context) => {
      await context.sleep("nap", 3_600);
    });
    const waits = journey.serve("/patient", async (context) => {
      await Promise.all([context.waitForEvent("wait", "tea", {}), context.sleep("nap", 3_600)]);
    });
    const asleep = await journey.run(sleeps, "started");
    const patient = await journey.run(waits, "started");
    await journey.waiters("tea", 1);
    const found = async (query: string): Promise<unknown> => {
      const { json } = await journey.service.call("GET", `/v2/workflows/logs?${query}`);
      return new Set((json["runs"] as Run[]).map((run) => run["workflowRunId"]));
    };
    await until(
      async () => isDeepStrictEqual(await found("waitingFor=sleep"), new Set([asleep])),
      "the one run sleeps",
    );
    await until(
      async () => isDeepStrictEqual(await found("waitingFor=event"), new Set([patient])),
      "the other one waits for its event",
    );
    assert.deepEqual(await found("waitingFor=sleep,event"), new Set([asleep, patient]));
  });

  test("bodies are left out of logs, shown in events, and cut as asked", async () => {
    const { service } = journey;
    const out = async (path: string): Promise<unknown> => {
      const [run] = await service.list(`${path}workflowRunId=f1`, "runs");
      return (run as Run).steps[0]?.steps[0]?.["out"];
    };
    assert.equal(await out("/v2/workflows/logs?"), undefined);
    assert.equal(await out("/v2/workflows/logs?trimBody=3&"), "pay");
    assert.equal(await out("/v2/workflows/events?groupBy=workflowRunId&"), "payload");
    assert.equal(await out("/v2/workflows/events?groupBy=workflowRunId&trimBody=-1&"), undefined);
  });

  test("what a run is told to hide is hidden in its log", async () => {
    const { service, destination } = journey;
    const headers = {
      "Svc-Workflow-RunId": "hidden",
      "Svc-Redact-Fields": "body,header[X-Secret]",
      "Svc-Forward-X-Secret": "canary-header",
      "Svc-Delay": "1h",
    };
    await service.trigger(`${destination.url}/hidden`, headers, "canary-body");
    for (const path of ["events?groupBy=workflowRunId&", "events?", "logs?trimBody=100&"]) {
      const { text } = await service.call("GET", `/v2/workflows/${path}workflowRunId=hidden`);
      assert.doesNotMatch(text, /canary/);
      assert.match(text, /REDACTED:[0-9a-f]{64}/);
    }
  });

  test("events tell what happened, page by page", async () => {
    const { service } = journey;
    const url = journey.serve("/events", async (context) => {
      await context.run("only", () => "x");
    });
    const workflowRunId = await journey.run(url, "success");
    const path = `/v2/workflows/events?workflowRunId=${workflowRunId}`;
    const pages = await service.pages(`${path}&count=1`, "events");
    assert.ok(pages.every((page) => page.length <= 1));
    const seen = pages.flat().map(({ state }) => state);
    for (const state of ["RUN_STARTED", "STEP_SUCCESS", "RUN_SUCCESS"]) {
      assert.ok(seen.includes(state), seen.join());
    }
    assert.equal((await service.list(`${path}&state=RUN_SUCCESS`, "events")).length, 1);
  });

  test("the path of SDKs lists up to 100 runs, and its last page has no cursor", async () => {
    const { service } = journey;
    const get = async (query: string) => (await service.call("GET", `/v2/workflows/${query}`)).json;
    const runs = await get("events?groupBy=workflowRunId&count=100");
    assert.ok((runs["runs"] as Run[]).length > 2);
    assert.ok(!("cursor" in runs), String(runs["cursor"]));
    assert.ok(!("cursor" in (await get("events"))));
    const page = await get("events?groupBy=workflowRunId&count=1");
    assert.match(String(page["cursor"]), /./);
    assert.equal((await get("logs"))["cursor"], "");
    const tooMany = await service.call("GET", "/v2/workflows/logs?groupBy=workflowRunId&count=11");
    assert.match(String(tooMany.json["error"]), /^count: must be from 1 to 10$/);
  });

  test("sleeps are told in milliseconds", async () => {
    const { service } = journey;
    const url = journey.serve("/sleeps", async (context) => {
      await context.sleep("a second", "1s");
      await context.sleepUntil("now", Date.now() / 1_000);
    });
    const workflowRunId = await journey.run(url, "success");
    const [run] = await service.list(`/v2/workflows/logs?workflowRunId=${workflowRunId}`, "runs");
    const steps = (run as Run).steps.flatMap((group) => group.steps);
    assert.equal(steps.find((step) => step["stepType"] === "SleepFor")?.["sleepFor"], 1_000);
    const { sleepUntil } = steps.find((step) => step["stepType"] === "SleepUntil")!;
    assert.ok(Number.isSafeInteger(sleepUntil), String(sleepUntil));
  });

  test("a malformed query is refused by name", async () => {
    const { service } = journey;
    const bad: readonly [query: string, names: RegExp][] = [
      ["state=RUN_AWAY", /state/],
      ["groupBy=label", /groupBy/],
      ["count=0", /count/],
      ["count=1001", /count/],
      ["groupBy=workflowRunId&count=101", /count/],
      ["cursor=abc", /cursor/],
      ["trimBody=-2", /trimBody/],
      ["trimBody=x", /trimBody/],
      ["workflowUrl=example.com", /workflowUrl/],
      ["workflowRuns=abc", /workflowRuns/],
      ["workflowRuns=abc@x", /workflowRuns/],
      ["workflowCreatedAt=x", /workflowCreatedAt/],
      ["fromDate=-1", /fromDate/],
      ["toDate=x", /toDate/],
      ["label=%00", /label/],
    ];
    for (const path of ["logs", "events"]) {
      for (const [query, names] of bad) {
        await service.refused(`GET /v2/workflows/${path}?${query}`, 400, names);
      }
    }
  });
});
