/** Why messages wait. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import type { TestService } from "../support/service-harness.ts";

const LONG = { "Svc-Delay": "1h" };

journeys("waiting messages", {}, (journey) => {
  test("a delay says when it ends, for one message and for all of a host", async () => {
    const { service } = journey;
    const host = "delayed.example.com";
    const first = await service.publish(`https://${host}/`, LONG);
    await service.publish(`https://${host}/`, { "Svc-Delay": "2h" });
    const { waiting, notBefore } = await messageOf(service, first);
    const line = { kind: "host", name: host };
    assert.deepEqual(waiting, { reason: "delay", endsAt: notBefore, line });
    const row = await rowOf(service, "delay", host);
    const { oldest, ...rest } = row;
    assert.deepEqual(rest, { reason: "delay", endsAt: notBefore, line, count: 2, isAbout: false });
    assert.equal(oldest["messageId"], first);
    assert.equal(oldest["url"], `https://${host}/`);
    assert.ok(Number.isInteger(oldest["createdAt"]));
  });

  test("a failed attempt is followed by the wait for its retry", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 503 });
    const headers = { "Svc-Retry-Delay": "3600000" };
    const id = await service.publish(`${destination.url}/retried`, headers);
    await service.logUntil(id, "RETRY");
    const { waiting } = await messageOf(service, id);
    assert.equal(waiting?.["reason"], "retry");
    const host = new URL(destination.url).host;
    assert.deepEqual(waiting["line"], { kind: "host", name: host });
    assert.equal((await rowOf(service, "retry", host))["count"], 1);
  });

  test("a message waits for a paused queue to be resumed", async () => {
    const { service, destination } = journey;
    await service.post("/v2/queues", { queueName: "rest", paused: true });
    const enqueued = await service.enqueue("rest", `${destination.url}/rest`);
    const line = { kind: "queue", name: "rest" };
    const paused = { reason: "paused", endsAt: null, line, pausedBy: "queue" };
    assert.deepEqual((await messageOf(service, enqueued)).waiting, paused);
    assert.equal((await rowOf(service, "paused", "rest"))["pausedBy"], "queue");
  });

  test("a message waits for room in a full queue", async () => {
    const { service, destination } = journey;
    const release = destination.hold();
    const sending = await service.enqueue("full", `${destination.url}/full`);
    await destination.received("/full", 1);
    const behind = await service.enqueue("full", `${destination.url}/full`);
    assert.equal((await messageOf(service, sending)).waiting, undefined);
    const { waiting } = await messageOf(service, behind);
    assert.equal(waiting?.["reason"], "queue-full");
    assert.deepEqual(waiting["heldBy"], [sending]);
    const row = await rowOf(service, "queue-full", "full");
    assert.equal(row["count"], 1);
    assert.deepEqual(row["heldBy"], [sending]);
    release();
    await service.logUntil(behind, "DELIVERED");
    assert.equal((await messageOf(service, behind)).waiting, undefined);
  });

  test("a message waits until the rate of its key allows one more, and says when", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const rated = keyed("rated", "rate=1, period=1h");
    const first = await service.publish(`${destination.url}/rated`, rated);
    await service.logUntil(first, "DELIVERED");
    const second = await service.publish(`${destination.url}/rated`, rated);
    const { waiting } = await messageOf(service, second);
    assert.equal(waiting?.["reason"], "key-rate");
    assert.ok((waiting["endsAt"] as number) > Date.now() + 3_000_000);
  });

  test("a message waits for room under its key", async () => {
    const { service, destination } = journey;
    const release = destination.hold();
    const narrow = keyed("narrow", "parallelism=1");
    const sending = await service.publish(`${destination.url}/narrow`, narrow);
    await destination.received("/narrow", 1);
    const third = await service.publish(`${destination.url}/narrow`, narrow);
    const line = { kind: "key", name: "narrow" };
    const full = { reason: "key-parallelism", endsAt: null, line, heldBy: [sending] };
    assert.deepEqual((await messageOf(service, third)).waiting, full);
    assert.equal((await rowOf(service, "key-parallelism", "narrow"))["count"], 1);
    release();
    await service.logUntil(third, "DELIVERED");
  });

  test("a message waits for a free slot of its host", async () => {
    const { service, destination } = journey;
    const release = destination.hold();
    const published = Array.from({ length: 300 }, () => service.publish(`${destination.url}/slow`));
    const ids = await Promise.all(published);
    const host = new URL(destination.url).host;
    const row = await rowOf(service, "host-full", host);
    assert.ok((row["count"] as number) > 0);
    const { waiting } = await messageOf(service, String(row.oldest["messageId"]));
    assert.equal(waiting?.["reason"], "host-full");
    release();
    for (const id of ids) await service.logUntil(id, "DELIVERED");
  });

  test("a paused service holds back what is due, and a delay stays a delay", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    await pause(service, "pause");
    const id = await service.publish(`${destination.url}/paused`);
    const { waiting } = await messageOf(service, id);
    assert.deepEqual(waiting, { reason: "paused", endsAt: null, pausedBy: "service" });
    const reasons = await waitingOf(service);
    assert.ok(reasons.some(({ reason, line }) => reason === "paused" && line === undefined));
    assert.ok(reasons.some(({ reason }) => reason === "delay"));
    await pause(service, "resume");
    await service.logUntil(id, "DELIVERED");
  });
});

function keyed(key: string, value: string): Record<string, string> {
  return { "Svc-Flow-Control-Key": key, "Svc-Flow-Control-Value": value };
}

async function messageOf(
  service: TestService,
  id: string,
): Promise<{ waiting: Item | undefined; notBefore: unknown }> {
  const message = await service.message(id);
  return { waiting: message["waiting"] as Item | undefined, notBefore: message["notBefore"] };
}

async function waitingOf(service: TestService): Promise<Item[]> {
  return service.list("/v2/waiting", "reasons");
}

async function rowOf(
  service: TestService,
  reason: string,
  name: string,
): Promise<Item & { oldest: Item }> {
  const reasons = await waitingOf(service);
  const found = reasons.find((row) => {
    return row["reason"] === reason && (row["line"] as Item | undefined)?.["name"] === name;
  });
  assert.ok(found, `${reason} of ${name} in ${JSON.stringify(reasons)}`);
  return found as Item & { oldest: Item };
}

async function pause(service: TestService, verb: "pause" | "resume"): Promise<void> {
  const { status } = await service.console("POST", `/v2/svc/${verb}`);
  assert.equal(status, 200);
}
