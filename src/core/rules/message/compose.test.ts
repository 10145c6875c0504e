import assert from "node:assert/strict";
import { test } from "node:test";
import { anAccount, bytes } from "../../../../test/support/messages.ts";
import type { PublishOptions } from "../../model/message/publish-options.ts";
import { compose, type Publication, publishItem } from "./compose.ts";

const AT = 1_000_000;

function publication(
  options: Partial<PublishOptions> = {},
  fields: Partial<Publication> = {},
): Publication {
  return {
    account: anAccount(),
    options: { dialect: "svc", headers: [["X-Own", "1"]], settings: {}, ...options },
    body: bytes("hello"),
    callerIp: "192.0.2.1",
    at: AT,
    recipients: [
      { url: "https://a.test/1", host: "a.test", messageId: "m1", endpointName: "First one" },
      { url: "https://b.test/2", host: "b.test", messageId: "m2" },
    ],
    origin: { urlGroup: "group" },
    ...fields,
  };
}

test("each recipient gets a message of its own with the same settings", () => {
  const [first, second] = compose(publication({ settings: { retries: 2, labels: ["l"] } }));
  assert.ok(first && second);
  const { messageId, url, endpointName, ...shared } = first.message;
  assert.deepEqual([messageId, url, endpointName], ["m1", "https://a.test/1", "First one"]);
  assert.deepEqual(second.message, {
    ...shared,
    messageId: "m2",
    url: "https://b.test/2",
    endpointName: undefined,
  });
  assert.deepEqual([shared.urlGroup, shared.settings.retries, shared.createdAt], ["group", 2, AT]);
  assert.deepEqual([first.host, second.host], ["a.test", "b.test"]);
});

test("in a queue each message has its own position", () => {
  const composed = compose(publication({}, { origin: { queueName: "q", urlGroup: "group" } }));
  assert.deepEqual(
    composed.map(({ message }) => message.rootId),
    ["m1", "m2"],
  );
  const { state } = publishItem(composed[1]!, undefined).message;
  assert.deepEqual([state.line, state.lineAfter, state.rootId], ["q:q", "h:b.test", "m2"]);
});

test("keys are taken per endpoint, and only when asked for", () => {
  assert.deepEqual(
    compose(publication()).map(({ deduplication }) => deduplication),
    [null, null],
  );
  for (const options of [{ deduplicationId: "d" }, { contentBasedDeduplication: true }]) {
    const keys = compose(publication(options)).map(({ deduplication }) => deduplication?.key);
    assert.equal(new Set(keys).size, 2);
  }
});

test("what the plan does not allow is refused for all of them", () => {
  assert.throws(() => compose(publication({ settings: { retries: 1_000 } })), /maxRetries/);
});

test("an item is waiting in its line, or under way on a node", () => {
  const [composed] = compose(publication());
  assert.equal(publishItem(composed!, undefined).message.state.phase, "waiting");
  const { state } = publishItem(composed!, "node").message;
  assert.deepEqual([state.phase, state.nodeId, state.fence], ["active", "node", 1]);
});

test("with a queue or a key the rule is told the node, and the item waits until it decides", () => {
  const flowControl = { key: "key", periodMs: 1_000 };
  for (const given of [
    publication({}, { origin: { queueName: "q" } }),
    publication({ settings: { flowControl } }),
  ]) {
    const { message, nodeId } = publishItem(compose(given)[0]!, "node");
    assert.deepEqual(
      [message.state.phase, message.state.nodeId, nodeId],
      ["waiting", null, "node"],
    );
  }
});
