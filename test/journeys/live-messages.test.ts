/** Messages that have not ended yet, as they are listed. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { OTHER_TOKEN } from "../support/service-harness.ts";
import { journeys } from "../support/journeys.ts";

interface Listed {
  readonly cursor?: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
}

function idsOf({ messages }: Listed): unknown[] {
  return messages.map(({ messageId }) => messageId);
}

journeys("the list of messages that have not ended", {}, (journey) => {
  const list = async (query = ""): Promise<Listed> => {
    const answer = await journey.service.call("GET", `/v2/messages${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as unknown as Listed;
  };
  const later = (path: string, headers: Readonly<Record<string, string>> = {}, body = "") =>
    journey.service.publish(
      `${journey.destination.url}${path}`,
      { "Svc-Delay": "1h", ...headers },
      body,
    );

  beforeEach(async () => {
    await journey.service.call("DELETE", "/v2/messages");
  });

  test("shows each as it is shown by itself, the oldest first", async () => {
    const { service } = journey;
    const ids = [await later("/a", { "Svc-Label": "x" }, "text"), await later("/b")];
    const listed = await list();
    assert.deepEqual(idsOf(listed), ids);
    assert.equal(listed.cursor, undefined);
    for (const [index, id] of ids.entries()) {
      const { waiting, addedHeader, ...shown } = await service.message(id);
      assert.deepEqual(listed.messages[index], shown);
      assert.equal(shown["state"], "CREATED");
      // Why it waits is asked of its line, and what is added made, for one message at a time.
      assert.deepEqual((addedHeader as Record<string, string[]>)["Svc-Message-Id"], [id]);
      assert.equal((waiting as { reason: string }).reason, "delay");
    }
  });

  test("leaves out what has ended or was cancelled", async () => {
    const { service, destination } = journey;
    const kept = await later("/kept");
    await service.call("DELETE", `/v2/messages/${await later("/cancelled")}`);
    const sent = await service.publish(`${destination.url}/sent`);
    await service.logUntil(sent, "DELIVERED");
    assert.deepEqual(idsOf(await list()), [kept]);
    assert.equal((await service.message(sent))["state"], "DELIVERED");
  });

  test("tells of one that is tried again", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const headers = { "Svc-Retry-Delay": "3600000" };
    const messageId = await service.publish(`${destination.url}/fails`, headers);
    await service.logUntil(messageId, "RETRY");
    destination.respond = () => ({});
    const [message] = (await list()).messages;
    assert.deepEqual([message?.["messageId"], message?.["state"]], [messageId, "RETRY"]);
  });

  test("comes page by page, and every message once", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await later(`/p${n}`));
    const pages = await journey.service.pages("/v2/messages?count=2", "messages");
    assert.ok(pages.every((page) => page.length <= 2));
    assert.deepEqual(idsOf({ messages: pages.flat() }), ids);
  });

  test("is narrowed by what a cancellation is narrowed by", async () => {
    const { destination } = journey;
    const mine = await later("/one", { "Svc-Label": "mine" });
    await later("/two", { "Svc-Label": "other" });
    for (const filter of [
      "label=mine",
      `url=${encodeURIComponent(`${destination.url}/one`)}`,
      "path=/one",
      `messageIds=${mine}`,
    ]) {
      assert.deepEqual(idsOf(await list(`?${filter}`)), [mine], filter);
    }
    assert.deepEqual(idsOf(await list("?label=mine&path=/two")), []);
  });

  test("hides what its publisher wants hidden", async () => {
    await later("/secret", { "Svc-Redact-Fields": "body" }, "hidden text");
    const [message] = (await list()).messages;
    assert.match(message?.["body"] as string, /^REDACTED:/);
  });

  test("holds the messages of its own account alone, and is shown to a read-only token", async () => {
    const { service } = journey;
    const id = await later("/mine");
    const other = await service.call("GET", "/v2/messages", { token: OTHER_TOKEN });
    assert.deepEqual(other.json, { messages: [] });
    const options = { token: service.credentials.readOnlyToken };
    const { status, json } = await service.call("GET", "/v2/messages", options);
    assert.equal(status, 200);
    assert.deepEqual(idsOf(json as unknown as Listed), [id]);
  });
});
