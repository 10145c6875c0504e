/** A request that the SDK repeats is stored once, since its first try had an id already. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, type ClientOptions, ConnectionError } from "../../sdk/src/sdk.ts";
import { until } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

sdkJourneys("requests whose answer is lost", {}, (journey) => {
  /** A client that loses the first answer to each call, after the service has stored what it asks. */
  function unlucky(options: ClientOptions = {}): Client {
    const { url: baseUrl, token } = journey.service;
    let calls = 0;
    const lossy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (calls++ % 2 === 1) return response;
      await response.text();
      throw new TypeError("the connection broke before the answer");
    };
    const retry = { retries: 1, backoff: () => 0 };
    return new Client({ baseUrl, token, fetch: lossy, retry, ...options });
  }

  /** How often each of these messages is in the log. */
  async function stored(path: string): Promise<number> {
    const url = `${journey.destination.url}${path}`;
    const { items } = await journey.sdk.logs.list({ url, state: "CREATED" });
    return items.length;
  }

  test("a publish, an enqueue, a batch and a group are each stored once", async () => {
    const { destination, sdk } = journey;
    const client = unlucky();
    const at = (path: string): string => `${destination.url}${path}`;
    const published = await client.publishJSON({ url: at("/publish"), body: { a: 1 } });
    assert.ok(!("deduplicated" in published));
    await client.queue("once").enqueueJSON({ url: at("/enqueue"), body: 1 });
    const batch = await client.batchJSON([
      { url: at("/batch"), body: 1 },
      { url: at("/batch"), body: 1 },
      { url: at("/batch"), body: 1, queueName: "once" },
    ]);
    assert.equal(new Set(batch.map((answer) => (answer as typeof published).messageId)).size, 3);
    assert.ok(batch.every((answer) => !("deduplicated" in answer)));
    await sdk.urlGroups.addEndpoints("once", [{ url: at("/group-1") }, { url: at("/group-2") }]);
    assert.equal((await client.publish({ urlGroup: "once" })).length, 2);
    for (const [path, count] of Object.entries({
      "/publish": 1,
      "/enqueue": 1,
      "/batch": 3,
      "/group-1": 1,
      "/group-2": 1,
    })) {
      await destination.received(path, count);
      assert.equal(await stored(path), count, path);
    }
    const { state } = await sdk.messages.wait(published.messageId);
    assert.equal(state, "DELIVERED");
  });

  test("two calls with the same message are two messages", async () => {
    const { destination, sdk } = journey;
    const message = { url: `${destination.url}/same`, body: { a: 1 } };
    await sdk.publishJSON(message);
    await sdk.publishJSON(message);
    assert.equal(await stored("/same"), 2);
  });

  test("it can be switched off, and an id or rule of the caller wins", async () => {
    const { destination } = journey;
    const url = (path: string): string => `${destination.url}${path}`;
    await unlucky({ deduplicate: false }).publish({ url: url("/off") });
    assert.equal(await stored("/off"), 2);
    for (const rule of [{ deduplicationId: "mine" }, { contentBasedDeduplication: true }]) {
      const path = `/${Object.keys(rule)[0]}`;
      const first = await journey.sdk.publish({ url: url(path), ...rule });
      const again = await journey.sdk.publish({ url: url(path), ...rule });
      assert.deepEqual([again.messageId, again.deduplicated], [first.messageId, true]);
      assert.equal(await stored(path), 1);
    }
    const asked: string[] = [];
    const { url: baseUrl, token } = journey.service;
    const silent = new Client({
      baseUrl,
      token,
      retry: false,
      fetch: (input, init) => {
        asked.push(...new Headers(init?.headers).keys());
        return fetch(input, init);
      },
    });
    await silent.publish({ url: url("/never-repeated") });
    assert.ok(!asked.includes("svc-deduplication-id"), "no id where nothing is repeated");
  });

  test("a trigger starts one run, even if it has ended when the trigger is repeated", async () => {
    const { sdk } = journey;
    const url = journey.serve("/started", async (context) => context.run("work", () => 1));
    const { url: baseUrl, token } = journey.service;
    const runs = async (): Promise<number> => {
      const { items } = await sdk.workflow.logs({ workflowUrl: url });
      return items.filter(({ workflowState }) => workflowState === "RUN_SUCCESS").length;
    };
    let ended = 0;
    let isLost = true;
    const afterTheEnd: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      isLost = !isLost;
      if (isLost) return response;
      const said = (await response.json()) as { workflowRunId: string };
      const [first] = [said].flat();
      await journey.phase(first!.workflowRunId, "success");
      ended++;
      throw new TypeError("the answer came too late");
    };
    const retry = { retries: 1, backoff: () => 0 };
    const client = new Client({ baseUrl, token, retry, fetch: afterTheEnd });
    const drawn = await client.workflow.trigger({ url });
    assert.ok(!("deduplicated" in drawn));
    const named = await client.workflow.trigger({ url, workflowRunId: "once" });
    assert.equal(named.workflowRunId, "once");
    const [inBatch] = await client.workflow.trigger([{ url }]);
    assert.equal(ended, 3);
    const ids = [drawn, named, inBatch!].map(({ workflowRunId }) => workflowRunId);
    assert.equal(new Set(ids).size, 3);
    await until(async () => (await runs()) === 3, "three runs, each started once");
    // The id may be used again, by a trigger that is another one.
    await client.workflow.trigger({ url, workflowRunId: "once" });
    await until(async () => (await runs()) === 4, "a fourth run");
  });

  for (const isToOneRun of [true, false]) {
    const whom = isToOneRun ? "one run" : "all runs";
    test(`a notification of ${whom} does not end the next wait for the same event too`, async () => {
      const { sdk, service } = journey;
      const eventId = `again-${isToOneRun}`;
      const got: unknown[] = [];
      const url = journey.serve(`/${eventId}`, async (context) => {
        const first = await context.waitForEvent("first", eventId);
        const second = await context.waitForEvent("second", eventId);
        await context.run("end", () => got.push(first.eventData, second.eventData));
      });
      const { workflowRunId } = await sdk.workflow.trigger({ url });
      await journey.waiters(eventId, 1);
      const lossy: typeof fetch = async (input, init) => {
        await (await fetch(input, init)).text();
        await journey.waiters(eventId, 1);
        throw new TypeError("the run waits again, and the answer is lost");
      };
      const { url: baseUrl, token } = service;
      const retry = { retries: 1, backoff: () => 0 };
      const client = new Client({ baseUrl, token, fetch: lossy, retry });
      const options = isToOneRun ? { workflowRunId } : {};
      await assert.rejects(client.workflow.notify(eventId, 1, options), ConnectionError);
      await sdk.workflow.notify(eventId, 2, options);
      await journey.phase(workflowRunId, "success");
      assert.deepEqual(got, [1, 2]);
    });
  }

  test("what is sent once is sent again where no connection was made", async () => {
    const { sdk, service, destination } = journey;
    const { url: baseUrl, token } = service;
    const schedule = { destination: `${destination.url}/refused`, cron: "0 0 1 1 *" };
    const { scheduleId } = await sdk.schedules.create(schedule);
    const closed = `http://127.0.0.1:${await freePort()}/`;
    let calls = 0;
    const client = new Client({
      baseUrl,
      token,
      retry: { retries: 1, backoff: () => 0 },
      fetch: (input, init) => fetch(calls++ === 0 ? closed : input, init),
    });
    await client.schedules.runNow(scheduleId);
    assert.equal(calls, 2);
    await destination.received("/refused");
    assert.equal(await stored("/refused"), 1);
    await sdk.schedules.delete(scheduleId);
  });

  test("a call for a number of messages, dead letters or runs reaches no more than that", async () => {
    const { sdk, destination } = journey;
    const url = `${destination.url}/counted`;
    const filter = { label: "counted" };
    const message = { url, label: "counted", delay: 3_600 } as const;
    await Promise.all([1, 2, 3, 4].map(() => sdk.publish(message)));
    const left = async (): Promise<number> => (await sdk.messages.list(filter)).items.length;
    await assert.rejects(unlucky().messages.cancel({ filter, count: 1 }), ConnectionError);
    assert.equal(await left(), 3);
    await assert.rejects(unlucky().messages.retry({ filter, count: 1 }), ConnectionError);
    await destination.received("/counted");
    await until(async () => (await left()) === 2, "one was sent");
    assert.equal(destination.to("/counted").length, 1);
    await unlucky().messages.cancel({ filter });
    assert.equal(await left(), 0);
  });

  test("a schedule without an id is made once", async () => {
    const { destination, sdk } = journey;
    const schedule = { destination: `${destination.url}/tick`, cron: "0 0 1 1 *" };
    const { scheduleId } = await unlucky().schedules.create(schedule);
    const page = await sdk.schedules.list();
    assert.deepEqual(
      page.items.map((item) => item.scheduleId),
      [scheduleId],
    );
    await sdk.schedules.delete(scheduleId);
  });
});
