/** A signature that the service made for one purpose serves no other at the endpoint of a workflow. */
import assert from "node:assert/strict";
import { request as send } from "node:http";
import { test } from "node:test";
import type { Context } from "../../sdk/src/sdk.ts";
import type { Received } from "../support/destination-server.ts";
import { eventually, until } from "../support/eventually.ts";
import { sdkJourneys } from "../support/sdk-journeys.ts";

type HeadersByName = Readonly<Record<string, string | undefined>>;

/** Sends a received delivery once more, to another endpoint; undefined takes a header away. */
function replay(url: string, { headers, body }: Received, changed: HeadersByName = {}) {
  const { hostname, port, pathname, search } = new URL(url);
  const kept = Object.entries({ ...headers, ...changed }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const replayed = send({
      hostname,
      port,
      method: "POST",
      path: `${pathname}${search}`,
      headers: Object.fromEntries(kept),
    });
    replayed.on("error", reject);
    replayed.on("response", (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    replayed.end(body);
  });
}

/** What makes a message look like another kind of delivery, in either dialect. */
const DISGUISES: Readonly<Record<string, HeadersByName>> = {
  start: {},
  step: { "svc-workflow-runid": "wfr_x", "svc-workflow-sdk-version": "1" },
  callback: {
    "svc-workflow-runid": "wfr_x",
    "svc-workflow-callback": "true",
    "svc-workflow-stepid": "1",
    "svc-workflow-stepname": "ask",
    "svc-workflow-steptype": "Call",
    "svc-workflow-concurrent": "1",
  },
  failure: { "svc-workflow-runid": "wfr_x", "svc-workflow-is-failure": "true" },
};

async function fail(context: Context): Promise<unknown> {
  return context.run("fail", () => Promise.reject(new Error("no")));
}

function inDialect(prefix: string, headers: HeadersByName): HeadersByName {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace("svc-", prefix), value]),
  );
}

sdkJourneys("signatures made for something else", {}, (journey) => {
  /** A workflow that counts how often its function and its failure function are called. */
  function victim(path: string, options: Parameters<typeof journey.serve>[2] = {}) {
    const seen = { calls: 0, failures: 0, url: "" };
    const workflow = async (context: Context): Promise<unknown> => {
      seen.calls++;
      return context.run("work", () => 1);
    };
    const onFailure = () => void seen.failures++;
    seen.url = journey.serve(path, workflow, { onFailure, ...options });
    return seen;
  }

  async function runsAt(url: string): Promise<number> {
    const page = await journey.sdk.workflow.logs({ workflowUrl: url });
    return page.items.length;
  }

  for (const [dialect, prefix] of [
    ["Svc", "svc-"],
    ["Upstash", "upstash-"],
  ] as const) {
    test(`an ordinary message to another host opens nothing, in the words of ${dialect}`, async () => {
      const { destination, service } = journey;
      const path = `/victim-${dialect}`;
      const foreign = `${destination.url}${path}`;
      await service.publish(foreign, { [`${dialect}-Method`]: "POST" });
      await destination.received(path);
      const [message] = destination.to(path);
      const host = new URL(foreign).host;
      const hosts: HeadersByName[] = [
        { host },
        { host, "x-forwarded-host": host },
        { host: new URL(journey.endpoint.url).host, "x-forwarded-host": host },
      ];
      const own = `${journey.endpoint.url}${path}`;
      for (const options of [{}, { trustProxy: true }, { url: own }, { url: () => own }]) {
        const endpoint = victim(path, options);
        for (const [kind, disguise] of Object.entries(DISGUISES)) {
          for (const forged of hosts) {
            const changed = { ...forged, ...inDialect(prefix, disguise) };
            const { status, text } = await replay(endpoint.url, message!, changed);
            assert.equal(status, 403, `${kind} ${JSON.stringify(options)}: ${text}`);
          }
        }
        assert.deepEqual([endpoint.calls, endpoint.failures], [0, 0]);
      }
      assert.equal(await runsAt(own), 0);
    });
  }

  test("a plain message starts a run where its URL is the one given to serve, and nowhere else", async () => {
    const { sdk, endpoint, service } = journey;
    const url = `${endpoint.url}/given`;
    const given = victim("/given", { url });
    await sdk.publishJSON({ url, body: { a: 1 } });
    await sdk.queue("starters").enqueueJSON({ url, body: { a: 2 } });
    const { scheduleId } = await sdk.schedules.create({ destination: url, cron: "0 0 1 1 *" });
    await sdk.schedules.runNow(scheduleId);
    await sdk.urlGroups.addEndpoints("starters", [{ url }]);
    await sdk.publish({ urlGroup: "starters" });
    await until(async () => (await runsAt(url)) === 4, "the runs that the messages started");
    assert.ok(given.calls >= 4);
    for (const other of [`${url}?x=1`, `${url}?from=${encodeURIComponent(url)}`]) {
      const messageId = await service.publish(other, { "Svc-Retries": "0" });
      await service.logUntil(messageId, "FAILED");
    }
    assert.equal(await runsAt(url), 4);
  });

  test("without a url the refusal names the option that starts runs by plain messages", async () => {
    const { sdk, service, endpoint } = journey;
    const { url, ...seen } = victim("/without");
    const { messageId } = await sdk.publish({ url, retries: 0 });
    await service.logUntil(messageId, "FAILED");
    const { status, text } = endpoint.answers.find(({ path }) => path === "/without")!;
    assert.equal(status, 403);
    const { message } = JSON.parse(text) as { message: string };
    assert.ok(message.includes(`url: "${url}"`), message);
    assert.match(message, /options of serve/);
    assert.equal(seen.calls, 0);
  });

  test("a step is taken for its own run, as a step, and nothing else", async () => {
    const { endpoint } = journey;
    const url = journey.serve("/steps", async (context) => context.run("work", () => 1));
    const [one, two] = [await journey.run(url, "success"), await journey.run(url, "success")];
    const delivery = endpoint.to("/steps").find((call) => {
      return call.headers["svc-workflow-runid"] === one;
    })!;
    const created = Number(delivery.headers["svc-workflow-createdat"]);
    for (const changed of [
      { "svc-workflow-runid": two },
      { "svc-workflow-runid": undefined },
      { "svc-workflow-createdat": String(created + 1) },
      { "svc-workflow-createdat": undefined },
      { "svc-workflow-sdk-version": undefined },
      { "svc-workflow-runid": undefined, "svc-workflow-sdk-version": undefined },
      { ...DISGUISES["callback"], "svc-workflow-runid": one },
      { ...DISGUISES["failure"], "svc-workflow-runid": one },
    ]) {
      const { status, text } = await replay(url, delivery, changed);
      assert.equal(status, 403, `${JSON.stringify(changed)}: ${text}`);
    }
    const unchanged = await replay(url, delivery);
    assert.equal(unchanged.status, 200, unchanged.text);
  });

  test("so is the result of a call, and the call itself opens nothing", async () => {
    const { endpoint, destination } = journey;
    const url = journey.serve("/calls", async (context) => {
      const { status } = await context.call("ask", { url: `${destination.url}/calls` });
      return status;
    });
    const [one, two] = [await journey.run(url, "success"), await journey.run(url, "success")];
    const result = endpoint.to("/calls").find(({ headers }) => {
      return headers["svc-workflow-callback"] === "true" && headers["svc-workflow-runid"] === one;
    })!;
    for (const changed of [
      { "svc-workflow-runid": two },
      { "svc-workflow-callback": undefined },
      { "svc-workflow-callback": undefined, "svc-workflow-is-failure": "true" },
      { "svc-workflow-callback": undefined, "svc-workflow-sdk-version": "1" },
    ]) {
      const { status, text } = await replay(url, result, changed);
      assert.equal(status, 403, `${JSON.stringify(changed)}: ${text}`);
    }
    assert.equal((await replay(url, result)).status, 200);
    const [call] = destination.to("/calls");
    const { host } = new URL(destination.url);
    const ofRun = {
      "svc-workflow-runid": one,
      "svc-workflow-createdat": result.headers["svc-workflow-createdat"],
    };
    for (const disguise of Object.values(DISGUISES)) {
      const isStart = Object.keys(disguise).length === 0;
      const changed = { host, ...disguise, ...(isStart ? {} : ofRun) };
      assert.equal((await replay(url, call!, changed)).status, 403);
    }
  });

  test("the failure function is called for the run that failed, and for no other", async () => {
    const { endpoint } = journey;
    const heard: string[] = [];
    const onFailure = ({ runId }: { runId: string }) => void heard.push(runId);
    const url = journey.serve("/fails", fail, { onFailure });
    const one = await journey.run(url, "failed", { retries: 0 });
    const report = await eventually(
      async () =>
        endpoint.to("/fails").find(({ headers }) => "svc-workflow-is-failure" in headers) ?? null,
      "the report of the failure",
    );
    await until(() => heard.length === 1, "the failure function");
    for (const changed of [
      { "svc-workflow-runid": "another" },
      { "svc-workflow-is-failure": undefined },
      { "svc-workflow-is-failure": undefined, "svc-workflow-sdk-version": "1" },
      { ...DISGUISES["callback"], "svc-workflow-runid": one, "svc-workflow-is-failure": undefined },
    ]) {
      const { status, text } = await replay(url, report, changed);
      assert.equal(status, 403, `${JSON.stringify(changed)}: ${text}`);
    }
    assert.deepEqual(heard, [one]);
  });

  test("headers in both dialects are read as one delivery, and do not reach the function", async () => {
    const { endpoint } = journey;
    const names: string[] = [];
    const url = journey.serve("/both", async (context) => {
      names.push(...context.headers.keys());
      return context.run("work", () => 1);
    });
    const one = await journey.run(url, "success");
    const [delivery] = endpoint.to("/both");
    const twins = Object.fromEntries(
      Object.entries(delivery!.headers)
        .filter(([name]) => name.startsWith("svc-"))
        .map(([name, value]) => [name.replace("svc-", "upstash-"), value]),
    );
    assert.equal((await replay(url, delivery!, twins)).status, 200);
    const mixed = { ...twins, "svc-workflow-runid": "another" };
    assert.equal((await replay(url, delivery!, mixed)).status, 403);
    const stripped = { ...twins, "svc-signature": undefined, "upstash-workflow-runid": "another" };
    assert.notEqual((await replay(url, delivery!, stripped)).status, 200);
    assert.ok(one !== "another");
    assert.deepEqual(
      names.filter((name) => /^(svc|upstash)-/.test(name)),
      [],
    );
  });
});
