/** Messages and their log in our own client. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { Client, NotFoundError, TimeoutError } from "../../sdk/src/sdk.ts";
import { journeys } from "../support/journeys.ts";
import { eventually, until } from "../support/eventually.ts";

journeys("messages in the client of the SDK", {}, (journey) => {
  let client: Client;
  before(() => {
    const { url, token } = journey.service;
    client = new Client({ baseUrl: url, token });
  });

  test("reads and cancels messages", async () => {
    const url = `${journey.destination.url}/later`;
    const settings = { url, body: "text", delay: "1h", retries: 2, label: ["a", "b"] };
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await client.publish(settings)).messageId),
    );
    const message = await client.messages.get(ids[0]!);
    assert.equal(message.body, "text");
    assert.deepEqual(message.labels, ["a", "b"]);
    assert.equal(message.maxRetries, 2);
    assert.ok(message.notBefore >= message.createdAt + 3_600_000);
    assert.equal((await client.messages.cancel(ids[0]!)).cancelled, 1);
    assert.equal((await client.messages.get(ids[0]!)).state, "CANCELED");
    await assert.rejects(client.messages.get("msg_none"), NotFoundError);
    assert.deepEqual(await client.messages.cancel([]), { cancelled: 0 });
    assert.equal((await client.messages.cancel([ids[1]!])).cancelled, 1);
    assert.equal((await client.messages.cancel({ filter: { label: "b" } })).cancelled, 1);
  });

  test("cancels as many as it is told, also a hundred", async () => {
    const item = { url: `${journey.destination.url}/many`, delay: "1h", label: "hundred" };
    await client.batch(Array.from({ length: 103 }, () => item));
    const cancel = async (count: number): Promise<number> =>
      (await client.messages.cancel({ filter: { label: "hundred" }, count })).cancelled;
    assert.equal(await cancel(1), 1);
    assert.equal(await cancel(100), 100);
    assert.equal(await cancel(100), 2);
  });

  test("sends waiting messages now, and counts before", async () => {
    const item = { url: `${journey.destination.url}/now`, delay: "1h", label: "now" };
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await client.publish(item)).messageId);
    const filter = { filter: { label: "now" } };
    const four = { count: 4, isAbout: false };
    assert.deepEqual(await client.messages.count("retry", filter), four);
    assert.deepEqual(await client.messages.count("cancel", filter), four);
    assert.equal((await client.messages.count("cancel", { ...filter, count: 3 })).count, 3);
    assert.equal((await client.messages.count("cancel", { ...filter, count: 100 })).count, 4);
    assert.equal((await client.messages.count("retry", [])).count, 0);
    assert.deepEqual(await client.messages.retry([]), { retried: 0 });
    assert.equal((await client.messages.retry(ids[0]!)).retried, 1);
    assert.equal((await client.messages.wait(ids[0]!)).state, "DELIVERED");
    assert.deepEqual(await client.messages.retry("msg_none"), { retried: 0 });
    assert.deepEqual(await client.messages.retry(ids[0]!, { over: 60 }), { retried: 0 });
    await assert.rejects(client.messages.retry(ids[1]!, { ovr: "10m" } as never), /over\?/);
    await assert.rejects(
      client.messages.count("cancle" as never, filter),
      /"cancel" or of "retry"/,
    );
    assert.equal((await client.messages.retry([ids[1]!, ids[0]!])).retried, 1);
    assert.deepEqual(await client.messages.retry(filter, { over: 60 }), { retried: 2 });
    await client.messages.cancel(filter);
    assert.equal((await client.dlq.count({ filter: { label: "now" } })).count, 0);
    assert.equal((await client.workflow.count({ filter: { label: "now" } })).count, 0);
    assert.equal((await client.workflow.dlq.count({ filter: { label: "now" } })).count, 0);
  });

  test("tells why messages wait and fail, and which callbacks were made", async () => {
    const { destination } = journey;
    destination.respond = ({ url }) => ({ status: url.startsWith("/broken") ? 501 : 200 });
    const callback = `${destination.url}/called`;
    const broken = { url: `${destination.url}/broken`, retries: 0, failureCallback: callback };
    const failing = [await client.publish(broken), await client.publish(broken)];
    for (const { messageId } of failing) await client.messages.wait(messageId);
    const [made] = await client.messages.callbacks(failing[0]!.messageId);
    assert.deepEqual([made?.kind, made?.url], ["failure-callback", callback]);
    const groups = await client.dlq.groups();
    assert.equal(groups.find(({ responseStatus }) => responseStatus === 501)?.count, 2);
    const filter = { responseStatus: 501 };
    const { responses } = await client.dlq.retry({ filter }, { delay: "1h" }, { over: "1m" });
    assert.equal(responses.length, 2);
    const { reasons } = await client.messages.waiting();
    assert.ok(reasons.some(({ reason, count }) => reason === "delay" && count >= 2));
    await client.messages.cancel(responses.map(({ messageId }) => messageId));
    destination.respond = () => ({});
  });

  test("lists messages that have not ended, page by page", async () => {
    const url = `${journey.destination.url}/listed`;
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) {
      ids.push((await client.publish({ url, body: "x", delay: 3_600, label: "list" })).messageId);
    }
    const page = await client.messages.list({ label: "list", count: 2 });
    const { waiting, addedHeader, ...known } = await client.messages.get(ids[0]!);
    assert.deepEqual(page.items[0], known);
    assert.equal(waiting?.reason, "delay");
    assert.deepEqual(addedHeader?.["Svc-Message-Id"], [ids[0]]);
    const found: string[] = [];
    for await (const { messageId } of page) found.push(messageId);
    assert.deepEqual(found, ids);
    await client.messages.cancel(ids);
    assert.deepEqual((await client.messages.list({ label: "list" })).items, []);
  });

  test("waits for the end of a message", async () => {
    const { destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/bad" ? 400 : 200 });
    const send = async (path: string, delay = 0): Promise<string> =>
      (await client.publish({ url: `${destination.url}${path}`, retries: 0, delay })).messageId;
    assert.equal((await client.messages.wait(await send("/good"))).state, "DELIVERED");
    const failed = await client.messages.wait(await send("/bad"));
    assert.deepEqual([failed.state, failed.responseStatus], ["FAILED", 400]);
    assert.equal((await client.dlq.get(failed.dlqId!)).messageId, failed.messageId);
    destination.respond = () => ({});
    const never = await send("/never", 3_600);
    await client.messages.cancel(never);
    assert.equal((await client.messages.wait(never)).state, "CANCELED");
    const later = await send("/far", 3_600);
    await assert.rejects(client.messages.wait(later, { timeout: 0 }), TimeoutError);
    const { url: baseUrl, token } = journey.service;
    const cancelling: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      await client.messages.cancel([later]);
      return answer;
    };
    const other = new Client({ baseUrl, token, fetch: cancelling });
    const cancelled = await other.messages.wait(later, { timeout: "1m" });
    assert.deepEqual([cancelled.messageId, cancelled.state], [later, "CANCELED"]);
    await client.dlq.delete({ all: true });
    await assert.rejects(client.messages.wait("msg_none"), NotFoundError);
  });

  test("lists logs, page by page", async () => {
    const { destination } = journey;
    const { messageId } = await client.publish({ url: `${destination.url}/logged`, body: "x" });
    await eventually(async () => {
      const { items } = await client.logs.list({ messageId, state: "DELIVERED" });
      return items.length === 1 ? items : null;
    }, "delivered");
    const page = await client.logs.list({ messageId, count: 1 });
    assert.equal(page.items.length, 1);
    const states: string[] = [];
    for await (const { state } of page) states.push(state);
    assert.deepEqual(states, ["DELIVERED", "ACTIVE", "CREATED"]);
  });

  test("follows the log as it grows, until it is told to stop", async () => {
    const { destination } = journey;
    const stop = new AbortController();
    const told: string[] = [];
    const earlier = await client.publish({ url: `${destination.url}/earlier`, label: "tail" });
    await client.messages.wait(earlier.messageId);
    const following = (async () => {
      const entries = client.logs.tail({ label: "tail" }, { signal: stop.signal });
      for await (const { messageId, state } of entries) told.push(`${messageId} ${state}`);
    })();
    const publish = async (): Promise<string> => {
      const url = `${destination.url}/told`;
      const { messageId } = await client.publish({ url, label: "tail" });
      await client.messages.wait(messageId);
      return messageId;
    };
    await until(async () => {
      await publish();
      return told.length > 0;
    }, "something is told");
    const last = await publish();
    await until(() => told.includes(`${last} DELIVERED`), "the last");
    stop.abort();
    await following;
    assert.equal(new Set(told).size, told.length);
    assert.ok(!told.some((line) => line.startsWith(earlier.messageId)));
    assert.deepEqual(
      told.filter((line) => line.startsWith(last)),
      ["CREATED", "ACTIVE", "DELIVERED"].map((state) => `${last} ${state}`),
    );
  });
});
