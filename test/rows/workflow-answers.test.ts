/** What is answered about runs, and what their events do: sections 2.4, 3, 4.7, 4.8, 6 and 8. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type SdkJourney, sdkJourneys } from "../support/sdk-journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually, until } from "../support/eventually.ts";
import { rowTests } from "./row-tests.ts";

sdkJourneys("workflows", {}, (journey) => {
  /** Starts a run and answers the whole answer. */
  async function trigger(
    url: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Item> {
    const { json } = await journey.service.call("POST", `/v2/trigger/${url}`, { headers });
    return json;
  }

  const waiting = (path: string, eventId: string, timeout: string): string =>
    journey.serve(path, async (context) => {
      const { eventData, timeout: isLate } = await context.waitForEvent("wait", eventId, {
        timeout,
      });
      return [eventData ?? null, isLate];
    });

  async function waiters(eventId: string): Promise<Item[]> {
    return eventually(async () => {
      const { text } = await journey.service.call("GET", `/v2/waiters/${eventId}`);
      const found = JSON.parse(text) as Item[];
      return found.length > 0 ? found : null;
    }, `a run that waits for ${eventId}`);
  }

  rowTests("2.4", "Answers of workflows", {
    "trigger response": async () => {
      const startedAt = Date.now();
      const answer = await trigger(waiting("/answer", "any", "1h"));
      assert.deepEqual(Object.keys(answer), ["workflowRunId", "workflowCreatedAt"]);
      const createdAt = answer["workflowCreatedAt"] as number;
      assert.ok(createdAt >= startedAt && createdAt <= Date.now(), String(createdAt));
    },
    "bulk resume response": async () => {
      const failed = await failedRun(journey, "/resumed");
      const { status, json } = await resume(journey, `workflowRunId=${failed}`);
      assert.equal(status, 200);
      assert.equal(json["cursor"], "");
      const [run] = json["workflowRuns"] as Item[];
      assert.notEqual(run?.["workflowRunId"], failed);
      assert.equal(typeof run?.["workflowCreatedAt"], "number");
    },
    "notify response": async () => {
      const run = await trigger(waiting("/told", "told", "1h"));
      await waiters("told");
      const { text } = await journey.service.call("POST", "/v2/notify/told", { body: "news" });
      const [told] = JSON.parse(text) as Item[];
      assert.equal(told?.["workflowRunId"], run["workflowRunId"]);
      assert.equal(told?.["workflowCreatedAt"], run["workflowCreatedAt"]);
      assert.match(told?.["messageId"] as string, /^msg_/);
      const waiter = told!["waiter"] as Item;
      assert.equal(waiter["url"], `${journey.endpoint.url}/told`);
    },
    waiter: async () => {
      await trigger(waiting("/waiter", "waited for", "2h"));
      const [waiter] = await waiters("waited%20for");
      assert.equal(waiter?.["url"], `${journey.endpoint.url}/waiter`);
      const inSeconds = (waiter?.["deadline"] as number) - Date.now() / 1_000;
      assert.ok(inSeconds > 7_100 && inSeconds <= 7_201, String(inSeconds));
      const headers = Object.values(waiter?.["headers"] as Item);
      assert.ok(headers.length > 0 && headers.every(Array.isArray));
    },
  });

  rowTests("3", "States of workflows", {
    "run states": async () => {
      const state = async (runId: unknown): Promise<unknown> =>
        (await logOf(journey, runId as string))["workflowState"];
      const { workflowRunId: held } = await trigger(waiting("/states", "states", "1h"));
      await waiters("states");
      assert.equal(await state(held), "RUN_STARTED");
      await journey.service.call("DELETE", `/v2/workflows/runs/${held as string}`);
      assert.equal(await state(held), "RUN_CANCELED");
      const done = await journey.run(
        journey.serve("/well", (on) => on.run("one", () => 1)),
        "success",
      );
      assert.equal(await state(done), "RUN_SUCCESS");
      assert.equal(await state(await failedRun(journey, "/ill")), "RUN_FAILED");
    },
    "step states": async () => {
      const { workflowRunId: runId } = await trigger(waiting("/steps", "steps", "1h"));
      await waiters("steps");
      const states = async (): Promise<unknown[]> =>
        stepStates(await logOf(journey, runId as string));
      assert.deepEqual(await states(), ["STEP_SUCCESS", "STEP_PROGRESS"]);
      await journey.service.call("DELETE", `/v2/workflows/runs/${runId as string}`);
      assert.deepEqual(await states(), ["STEP_SUCCESS", "STEP_CANCELED"]);
      const failed = await failedRun(journey, "/step-fails");
      assert.deepEqual(stepStates(await logOf(journey, failed)), ["STEP_SUCCESS", "STEP_FAILED"]);
      const slow = await trigger(breaking(journey, "/step-retries"), {
        "Svc-Retry-Delay": "1000000",
      });
      await eventually(async () => {
        const now = stepStates(await logOf(journey, slow["workflowRunId"] as string));
        return now[1] === "STEP_RETRY" ? now : null;
      }, "a retry");
    },
    "failure function states": async () => {
      for (const [status, wanted] of [
        [200, "CALLBACK_SUCCESS"],
        [500, "CALLBACK_FAIL"],
      ] as const) {
        journey.destination.respond = () => ({ status });
        const { workflowRunId } = await trigger(breaking(journey, `/function-${status}`), {
          "Svc-Retries": "0",
          "Svc-Failure-Callback": `${journey.destination.url}/function`,
        });
        await until(async () => {
          const run = await logOf(journey, workflowRunId as string);
          return (run["failureFunction"] as Item | undefined)?.["state"] === wanted;
        }, wanted);
      }
    },
  });

  rowTests("4.8", "Notify waiting workflows", {
    notify: async () => {
      const runs = await Promise.all([
        trigger(waiting("/both", "both", "1h")),
        trigger(waiting("/both", "both", "1h")),
      ]);
      await until(async () => (await waiters("both")).length === 2, "both");
      const { text } = await journey.service.call("POST", "/v2/notify/both", { body: '"news"' });
      assert.equal((JSON.parse(text) as Item[]).length, 2);
      for (const { workflowRunId } of runs) {
        await journey.phase(workflowRunId as string, "success");
        assert.deepEqual(await journey.result(workflowRunId as string), ["news", false]);
      }
      const none = await journey.service.call("POST", "/v2/notify/both", { body: "late" });
      assert.deepEqual([none.status, none.text], [200, "[]"]);
    },
  });

  rowTests("6", "Events of workflows", {
    "a notify resumes those who wait": async () => {
      const { workflowRunId } = await trigger(waiting("/resumes", "resumes", "1h"));
      await waiters("resumes");
      await journey.service.call("POST", "/v2/notify/resumes", { body: '{"n":1}' });
      await journey.phase(workflowRunId as string, "success");
      assert.deepEqual(await journey.result(workflowRunId as string), [{ n: 1 }, false]);
    },
    "a wait that ends sends its timeout request": async () => {
      const { workflowRunId } = await trigger(waiting("/ends", "ends", "1s"));
      await journey.phase(workflowRunId as string, "success");
      assert.deepEqual(await journey.result(workflowRunId as string), [null, true]);
    },
  });

  rowTests("8", "Limits of workflows", {
    "pages of run logs": async () => {
      for (const [query, status] of [
        ["logs?count=1000", 200],
        ["logs?count=1001", 400],
        ["logs?groupBy=workflowRunId&count=10", 200],
        ["logs?groupBy=workflowRunId&count=11", 400],
        ["events?groupBy=workflowRunId&count=100", 200],
        ["events?groupBy=workflowRunId&count=101", 400],
      ] as const) {
        const answer = await journey.service.call("GET", `/v2/workflows/${query}`);
        assert.equal(answer.status, status, query);
      }
    },
    "retries of a triggered run": async () => {
      const { workflowRunId } = await trigger(waiting("/standard", "standard", "1h"));
      const [init] = stepsOf(await logOf(journey, workflowRunId as string));
      assert.equal(init?.["retries"], 3);
    },
  });

  rowTests("4.7", "Bulk resume workflow runs", {
    headers: async () => {
      const failed = await failedRun(journey, "/overridden");
      const { json } = await resume(journey, `workflowRunId=${failed}`, {
        "Svc-Retries": "7",
        "Svc-Delay": "1h",
        "Svc-Retry-Delay": "77",
        "Svc-Flow-Control-Key": "resumed",
        "Svc-Flow-Control-Value": "parallelism=2, rate=3, period=60",
        "Svc-Label": "again,more",
        "Svc-Failure-Callback": "https://failure.example/",
      });
      const [{ workflowRunId } = {}] = json["workflowRuns"] as Item[];
      const run = await logOf(journey, workflowRunId as string);
      assert.deepEqual(run["labels"], ["again", "more"]);
      assert.equal(run["flowControlKey"], "resumed");
      const key = await journey.service.call("GET", "/v2/flowControl/resumed");
      assert.deepEqual([key.json["parallelismMax"], key.json["rateMax"]], [2, 3]);
      const [row] = await journey.service.select(
        `SELECT f.facts AS facts, m.ready_at AS at FROM messages m JOIN facts f
          ON f.message_id = m.message_id WHERE m.run_id = '${workflowRunId as string}'`,
      );
      const facts = JSON.parse(row?.["facts"] as string) as Item;
      assert.deepEqual([facts["retries"], facts["retryDelay"]], [7, "77"]);
      assert.ok(Number(row?.["at"]) > Date.now() + 3_500_000);
    },
    "query parameters": async () => {
      const { service } = journey;
      await service.call("DELETE", "/v2/workflows/dlq");
      const ids = [];
      for (const path of ["/p1", "/p2", "/p3"]) {
        ids.push(await failedRun(journey, path, { "Svc-Label": `label${path.slice(1)}` }));
      }
      // Those that are resumed would fail again at once.
      const later = { "Svc-Delay": "1h" };
      const count = async (query: string): Promise<number> =>
        ((await resume(journey, query, later)).json["workflowRuns"] as Item[]).length;
      assert.equal(await count("label=labelnone"), 0);
      assert.equal(await count("toDate=1000"), 0);
      assert.equal(await count("callerIp=10.0.0.1"), 0);
      assert.equal(await count("flowControlKey=none"), 0);
      assert.equal(await count("failureFunctionState=CALLBACK_CANCELED"), 0);
      assert.equal(await count(`workflowUrl=${journey.endpoint.url}/none`), 0);
      const first = await resume(journey, "count=1", later);
      assert.equal((first.json["workflowRuns"] as Item[]).length, 1);
      assert.notEqual(first.json["cursor"], "");
      assert.equal(await count(`workflowRunId=${ids[0]}&fromDate=1000`), 1);
      const { json } = await service.call("GET", "/v2/workflows/dlq");
      const [letter] = json["messages"] as Item[];
      assert.equal(await count(`dlqIds=${letter?.["dlqId"] as string}&label=other`), 1);
      assert.equal(await count(""), 0);
    },
  });

  test("a run that is not there is not waited for", async () => {
    const { status } = await journey.service.call("POST", "/v2/notify/wfr_none/any", { body: "x" });
    assert.equal(status, 404);
  });
});

const breaking = (journey: SdkJourney, path: string): string =>
  journey.serve(path, (context) =>
    context.run("breaks", () => {
      throw new Error("no luck");
    }),
  );

/** A run that has failed; answers its id. */
async function failedRun(
  journey: SdkJourney,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { json } = await journey.service.call("POST", `/v2/trigger/${breaking(journey, path)}`, {
    headers: { "Svc-Retries": "0", ...headers },
  });
  const runId = json["workflowRunId"] as string;
  await journey.phase(runId, "failed");
  return runId;
}

function resume(
  journey: SdkJourney,
  query: string,
  headers: Readonly<Record<string, string>> = {},
) {
  return journey.service.call("POST", `/v2/workflows/dlq/resume?${query}`, { headers });
}

async function logOf({ service }: SdkJourney, runId: string): Promise<Item> {
  const { json } = await service.call("GET", `/v2/workflows/logs?workflowRunId=${runId}`);
  return (json["runs"] as Item[])[0]!;
}

function stepsOf(run: Item): Item[] {
  return (run["steps"] as Item[]).flatMap((group) => group["steps"] as Item[]);
}

function stepStates(run: Item): unknown[] {
  return stepsOf(run).map(({ state }) => state);
}
