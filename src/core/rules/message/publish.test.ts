import assert from "node:assert/strict";
import { test } from "node:test";

import { aNewMessage, aPublish, aPublishItem } from "../../../../test/support/messages.ts";
import { rowsOf } from "../../../../test/support/rows.ts";
import { NO_DELAY } from "../../model/message/message.ts";
import { addMessage, publish } from "./publish.ts";

const AT = 1_000;
const key = { key: "same", expiresAt: 2_000 };

test("a waiting message is added, logged, and its line is due when it is ready", () => {
  const message = aNewMessage({ createdAt: AT, notBefore: AT + 5 });
  assert.deepEqual(addMessage(message), [
    { type: "message.added", message },
    {
      type: "log.added",
      entry: { accountId: "account", messageId: "message", at: AT, state: "CREATED" },
    },
    { type: "line.due", accountId: "account", line: "h:example.test", at: AT + 5 },
  ]);
});

test("in a queue the clock delays nothing, and a delay that was asked for does", () => {
  const states = [0, 1].map((delayMs) => {
    const message = aNewMessage({ createdAt: AT, notBefore: AT + delayMs, queueName: "queue" });
    const [added] = addMessage(message);
    assert.ok(added?.type === "message.added");
    return added.message.state;
  });
  assert.deepEqual(
    states.map(({ line, readyAt }) => [line, readyAt]),
    [
      ["q:queue", NO_DELAY],
      ["q:queue", AT + 1],
    ],
  );
  const plain = aNewMessage({ createdAt: AT, notBefore: AT });
  assert.deepEqual(addMessage(plain)[0], { type: "message.added", message: plain });
});

test("a message that is under way from the start wakes no line", () => {
  const types = addMessage(aNewMessage({ leasedBy: "node" })).map(({ type }) => type);
  assert.deepEqual(types, ["message.added", "log.added", "log.added"]);
});

test("a publish without deduplication needs no rows", () => {
  assert.deepEqual(publish.needs(aPublish(AT, aPublishItem())), {});
});

test("only the keys that are asked for are loaded", () => {
  const act = aPublish(AT, aPublishItem(), aPublishItem({ messageId: "b" }, key));
  assert.deepEqual(publish.needs(act), {
    deduplications: [{ accountId: "account", key: "same" }],
  });
});

test("the holder of a key is answered, and nothing changes", () => {
  const act = aPublish(AT, aPublishItem({ messageId: "b" }, key));
  const taken = { accountId: "account", key: "same", messageId: "a", expiresAt: AT + 1 };
  assert.deepEqual(publish.decide(act, rowsOf({ deduplications: [taken] })), {
    changes: [],
    answer: [{ messageId: "a", deduplicated: true }],
  });
});

test("a free key is taken before the message is added", () => {
  const act = aPublish(AT, aPublishItem({ messageId: "a" }, key));
  const { changes, answer } = publish.decide(act, rowsOf({}));
  assert.deepEqual(answer, [{ messageId: "a", deduplicated: false }]);
  assert.deepEqual(changes[0], {
    type: "deduplication.taken",
    deduplication: { accountId: "account", messageId: "a", ...key },
  });
  assert.equal(changes[1]?.type, "message.added");
});

test("the second of two in one act finds the key taken by the first", () => {
  const items = ["a", "b"].map((messageId) => aPublishItem({ messageId }, key));
  const { changes, answer } = publish.decide(aPublish(AT, ...items), rowsOf({}));
  assert.deepEqual(answer, [
    { messageId: "a", deduplicated: false },
    { messageId: "a", deduplicated: true },
  ]);
  assert.equal(changes.filter(({ type }) => type === "message.added").length, 1);
});

test("answers are in the order of the items, and say which were to be leased and wait", () => {
  const flowControl = { key: "key", periodMs: 1_000 };
  const item = (messageId: string, nodeId?: string) => ({
    ...aPublishItem({ messageId, flowControl, createdAt: AT }),
    nodeId,
  });
  const act = aPublish(AT, item("a", "node"), item("b", "node"), item("c"));
  const open = { setting: null, running: null, held: 0, nextReadyAt: null };
  const { changes, answer } = publish.decide(act, rowsOf({ lines: { "k:key": open } }));
  assert.deepEqual(answer, [
    { messageId: "a", deduplicated: false },
    { messageId: "b", deduplicated: false, waits: true },
    { messageId: "c", deduplicated: false },
  ]);
  const states = changes.flatMap((change) =>
    change.type === "message.added" ? [change.message.state.phase] : [],
  );
  assert.deepEqual(states, ["active", "waiting", "waiting"]);
  assert.equal(changes.filter(({ type }) => type === "line.started").length, 1);
  const line = { accountId: "account", line: "k:key" };
  assert.deepEqual(publish.needs(act), { lines: [line, line] });
});
