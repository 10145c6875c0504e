/** What the API counts equals what the log says, after a restart and over two nodes. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";

import { freshFolder } from "../support/fresh-folder.ts";
import { startTwoNodes } from "../support/two-nodes.ts";
import { type Counted, countedStates } from "../support/counted-states.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { until } from "../support/eventually.ts";
import { OTHER_TOKEN, TestService } from "../support/service-harness.ts";

/** Some messages of each kind, until all have ended. */
async function sendSome(service: TestService, { url }: DestinationServer): Promise<void> {
  const plain = await Promise.all([1, 2, 3].map(() => service.publish(`${url}/ok`)));
  const dead = await service.publish(`${url}/bad`, {
    "Upstash-Retries": "1",
    "Upstash-Retry-Delay": "1",
  });
  const delayed = await service.publish(`${url}/ok`, { "Upstash-Delay": "1h" });
  await service.call("DELETE", `/v2/messages/${delayed}`);
  for (const id of plain) await service.logUntil(id, "DELIVERED");
  await service.logUntil(dead, "FAILED");
}

function destination(context: TestContext): Promise<DestinationServer> {
  return DestinationServer.startFor(context, ({ url }) => ({ status: url === "/bad" ? 500 : 200 }));
}

async function countedByLog(service: TestService): Promise<Counted> {
  const states = (await service.list("/v2/logs?count=1000", "logs")).map(({ state }) => state);
  return countedStates((state) => states.filter((each) => each === state).length);
}

async function countedByStats(service: TestService, step: string): Promise<Counted> {
  const points = (await service.get(`/v2/stats?step=${step}`))["points"] as Counted[];
  const sum = (name: keyof Counted): number => points.reduce((all, point) => all + point[name], 0);
  const names = Object.keys(countedStates(() => 0)) as (keyof Counted)[];
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Counted;
}

/** Stats are a few seconds old. */
async function assertEqualToLog(service: TestService): Promise<Counted> {
  const logged = await countedByLog(service);
  await until(async () => {
    const counted = await countedByStats(service, "minute");
    return counted.published === logged.published && counted.attempts === logged.attempts;
  }, "the stats are complete");
  for (const step of ["minute", "hour", "day"]) {
    assert.deepEqual(await countedByStats(service, step), logged, step);
  }
  return logged;
}

journeys("stats", {}, (journey) => {
  test("count what the log says, and name the hosts", async (t) => {
    const { service } = journey;
    assert.deepEqual(await service.list("/v2/stats", "points"), []);
    const server = await destination(t);
    await sendSome(service, server);
    const counted = await assertEqualToLog(service);
    assert.deepEqual(counted, {
      published: 5,
      attempts: 5,
      failedAttempts: 2,
      delivered: 3,
      deadLettered: 1,
      canceled: 1,
    });
    const [host] = await service.list("/v2/hosts", "hosts");
    assert.equal(host?.["host"], new URL(server.url).host);
    assert.deepEqual([host?.["attempts"], host?.["failedAttempts"]], [5, 2]);
    assert.ok(Number(host?.["p50Ms"]) > 0);
    const path = `/v2/stats?step=hour&host=${new URL(server.url).host}`;
    const points = await service.list(path, "points");
    assert.equal(
      points.reduce((sum, { attempts }) => sum + Number(attempts), 0),
      5,
    );
    const ofNone = await service.get("/v2/stats?step=hour&host=none.test");
    assert.deepEqual([ofNone["points"], ofNone["backlog"]], [[], []]);
  });

  test("another account has none of it", async () => {
    const { service } = journey;
    const token = OTHER_TOKEN;
    const { json } = await service.call("GET", "/v2/stats", { token });
    assert.deepEqual(json["points"], []);
    const { json: hosts } = await service.call("GET", "/v2/hosts", { token });
    assert.deepEqual(hosts["hosts"], []);
  });

  test("a bad question is refused, naming the field", async () => {
    const cases = [
      ["/v2/stats?step=week", /step/],
      ["/v2/stats?step=", /step/],
      ["/v2/stats?from=soon", /from/],
      ["/v2/stats?from=2&to=1", /from/],
      ["/v2/stats?from=0", /from: is more than 1440 steps/],
      ["/v2/stats?host=a", /host/],
      ["/v2/stats?step=day&host=a", /host/],
      ["/v2/stats?step=hour&host=", /host/],
      ["/v2/hosts?count=0", /count/],
      ["/v2/hosts?count=101", /count/],
      ["/v2/hosts?step=day", /step/],
    ] as const;
    for (const [path, says] of cases) {
      await journey.service.refused(`GET ${path}`, 400, says);
    }
  });

  test("an attempt says how long it took, and on which node", async (t) => {
    const server = await destination(t);
    const id = await journey.service.publish(`${server.url}/ok`);
    const entries = await journey.service.logUntil(id, "DELIVERED");
    const { attempt, attemptDurationMs, attemptStartedAt, nodeId } = entries.at(-1)!;
    assert.equal(attempt, 1);
    assert.ok(Number(attemptDurationMs) >= 0);
    assert.ok(Number(attemptStartedAt) <= Number(entries.at(-1)!["time"]));
    assert.equal(typeof nodeId, "string");
  });
});

/** Messages that have failed once or wait when a node restarts. */
interface Unfinished {
  readonly failing: string;
  readonly delayed: string;
}

async function leaveSome(service: TestService, { url }: DestinationServer): Promise<Unfinished> {
  const failing = await service.publish(`${url}/bad`, {
    "Upstash-Retries": "1",
    "Upstash-Retry-Delay": "3600000",
  });
  const delayed = await service.publish(`${url}/ok`, { "Upstash-Delay": "1h" });
  await service.logUntil(failing, "ERROR");
  return { failing, delayed };
}

/** Sends the first one until it is a dead letter, and that again; cancels the second. */
async function finish(service: TestService, { failing, delayed }: Unfinished): Promise<void> {
  await sendNow(service, failing);
  const { dlqId } = await service.deadLetterOf(failing);
  const retried = await service.call("POST", `/v2/dlq/retry/${dlqId}`);
  const again = String(retried.json["messageId"]);
  await service.logUntil(again, "ERROR");
  await sendNow(service, again);
  const canceled = await service.call("DELETE", `/v2/messages/${delayed}`);
  assert.equal(canceled.status, 200, canceled.text);
}

/** The last attempt of a message, at once. */
async function sendNow(service: TestService, id: string): Promise<void> {
  const sent = await service.call("POST", `/v2/messages/${id}/retry`);
  assert.equal(sent.status, 200, sent.text);
  await service.logUntil(id, "FAILED");
}

test("a restart loses no count", async (t) => {
  const folder = freshFolder(t);
  const server = await destination(t);
  const first = await TestService.startFor(t, { folder });
  await sendSome(first, server);
  const unfinished = await leaveSome(first, server);
  const logged = await countedByLog(first);
  await first.stop();
  const second = await TestService.startFor(t, { folder });
  assert.deepEqual(await countedByStats(second, "minute"), logged);
  await finish(second, unfinished);
  await sendSome(second, server);
  assert.deepEqual(await assertEqualToLog(second), {
    published: 13,
    attempts: 14,
    failedAttempts: 8,
    delivered: 6,
    deadLettered: 4,
    canceled: 3,
  });
});

test(
  "two nodes count together, and one of them restarts",
  { skip: postgresMissing() },
  async (t) => {
    const server = await destination(t);
    const [first, second, startNode] = await startTwoNodes(t);
    await Promise.all([sendSome(first, server), sendSome(second, server)]);
    const unfinished = [await leaveSome(first, server), await leaveSome(second, server)];
    await second.stop();
    await finish(first, unfinished[1]!);
    const restarted = await startNode();
    await finish(restarted, unfinished[0]!);
    await Promise.all([sendSome(first, server), sendSome(restarted, server)]);
    // A node writes its counts when it stops.
    await restarted.stop();
    assert.deepEqual(await assertEqualToLog(first), {
      published: 26,
      attempts: 28,
      failedAttempts: 16,
      delivered: 12,
      deadLettered: 8,
      canceled: 6,
    });
  },
);
