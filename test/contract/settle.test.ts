import assert from "node:assert/strict";

import { deadLetterId } from "../../src/core/model/message/dead-letter.ts";
import { aCallback, aPublish, bytes } from "../support/messages.ts";
import { contract, type Scene } from "./scene.ts";

contract("settling", (promise) => {
  promise("delivered: the message has ended and stays readable", async (scene) => {
    await scene.publish("a", { body: bytes("body") });
    scene.clock.advance(5);
    const attempt = { status: 201, headers: '[["x","y"]]', body: bytes("answer") };
    const leased = await scene.claimOne();
    await scene.settle(leased, { verdict: { kind: "delivered" }, attempt });
    const stored = await scene.store.reader.messages.get({ accountId: "account", messageId: "a" });
    assert.equal(stored?.state, null);
    assert.deepEqual(Buffer.from(stored.body), Buffer.from("body"));
    const last = (await scene.logged()).at(-1);
    assert.deepEqual([last?.entry.state, last?.entry.status], ["DELIVERED", 201]);
    assert.equal(last?.attempt?.headers, '[["x","y"]]');
    assert.deepEqual(Buffer.from(last.attempt.body), Buffer.from("answer"));
    assert.deepEqual(await scene.store.reader.upkeep.counts(), { waiting: 0, active: 0 });
    scene.clock.advance(1_000_000);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("retry: the message waits, with its attempts counted", async (scene) => {
    await scene.publish("a");
    await scene.retry(await scene.claimOne(), 250);
    const state = await scene.state("a");
    assert.deepEqual([state?.phase, state?.attempts], ["waiting", 1]);
    assert.deepEqual([state?.nodeId, state?.leasedAt], [null, null]);
    const entries = await scene.entries("a");
    assert.deepEqual(entries.at(-2)?.status, 500);
    assert.deepEqual([entries.at(-1)?.state, entries.at(-1)?.nextAt], ["RETRY", scene.now + 250]);
    scene.clock.advance(249);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    const again = await scene.claimOne();
    assert.equal(again.attempts, 1);
    assert.equal((await scene.entries("a")).at(-1)?.attempt, 2);
  });

  promise("dead: the message has ended and its last answer is kept", async (scene) => {
    await scene.publish("a", { body: bytes("body") });
    await scene.retry(await scene.claimOne(), 0);
    const attempt = { status: 0, error: "connection refused", body: bytes("") };
    const leased = await scene.claimOne();
    await scene.settle(leased, { verdict: { kind: "dead" }, attempt });
    const entries = await scene.entries("a");
    assert.deepEqual(
      entries.slice(-2).map(({ state, status, error }) => [state, status, error]),
      ["ERROR", "FAILED"].map((state) => [state, 0, "connection refused"]),
    );
    const [stored, ...others] = await scene.deadLetters();
    assert.deepEqual(others, []);
    const { number, ...rest } = stored?.deadLetter ?? { number: 0 };
    assert.ok(number > 0);
    assert.deepEqual(rest, {
      accountId: "account",
      messageId: "a",
      diedAt: scene.now,
      attempt: 2,
      status: 0,
      error: "connection refused",
      cause: "connection refused",
    });
    assert.equal(stored?.attempt?.number, 2);
    assert.deepEqual(Buffer.from(stored.body), Buffer.from("body"));
    assert.equal(await scene.state("a"), null);
  });

  promise("messages that die in one instant have ids of their own", async (scene) => {
    await scene.publishAll(["a", "b", "c"]);
    const leased = await scene.claim();
    await Promise.all(leased.map((each) => scene.kill(each)));
    const ids = (await scene.deadLetters()).map(({ deadLetter }) => deadLetterId(deadLetter));
    assert.equal(new Set(ids).size, 3);
  });
});

contract("callbacks", (promise) => {
  promise("each attempt is reported by a message of its own", async (scene) => {
    await scene.publish("a", { callback: aCallback(), failureCallback: aCallback() });
    await scene.retry(await scene.claimOne(), 60_000);
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(60_000);
    await scene.deliver(await scene.claimOne());
    const last = await scene.claimOne();
    assert.equal(last.lease.messageId, "a-callback-2");
    assert.equal(last.message.url, "https://callback.test/done");
    assert.equal(last.message.kind, "callback");
    const report = reportOf(last.body);
    assert.deepEqual([report.status, report.retried], [200, 1]);
    assert.equal(report.sourceMessageId, "a");
    await scene.deliver(last);
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("a final failure is reported with the id of the dead letter", async (scene) => {
    await scene.publish("a", { callback: aCallback(), failureCallback: aCallback() });
    await scene.kill(await scene.claimOne());
    const [letter] = await scene.deadLetters();
    assert.ok(letter);
    const leased = await scene.claim();
    const reports = new Map(
      leased.map(({ lease, body }) => [lease.messageId, reportOf(body).dlqId]),
    );
    assert.deepEqual(
      reports,
      new Map([
        ["a-callback-1", undefined],
        ["a-failure", deadLetterId(letter.deadLetter)],
      ]),
    );
  });

  promise("no failure is reported when the message was delivered after all", async (scene) => {
    await scene.publish("a", { failureCallback: aCallback() });
    await scene.retry(await scene.claimOne(), 0);
    await scene.deliver(await scene.claimOne());
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("a callback waits as long as it was told to", async (scene) => {
    await scene.publish("a", { callback: aCallback({ delayMs: 500 }) });
    await scene.deliver(await scene.claimOne());
    scene.clock.advance(499);
    assert.deepEqual(await scene.claimIds(), []);
    scene.clock.advance(1);
    assert.deepEqual(await scene.claimIds(), ["a-callback-1"]);
  });

  promise("a settlement is stored with all that follows from it, or not at all", async (scene) => {
    await publishTaken(scene);
    const leased = await scene.claimOne();
    for (const verdict of [
      { kind: "delivered" },
      { kind: "retry", readyAt: scene.now },
      { kind: "dead" },
    ] as const) {
      await assert.rejects(scene.settle(leased, { verdict, follow: { callbackId: "taken" } }));
    }
    assert.equal(await scene.phase("a"), "active");
    assert.deepEqual(await scene.states("a"), ["CREATED", "ACTIVE"]);
    assert.deepEqual(await scene.deadLetters(), []);
    assert.equal(await scene.deliver(leased), "settled");
    assert.deepEqual(await scene.claimIds(), ["a-callback-1"]);
  });

  promise("a stale settlement reports nothing", async (scene) => {
    await scene.publish("a", { callback: aCallback(), failureCallback: aCallback() });
    const leased = await scene.claimOne();
    await scene.handBack(leased);
    await scene.cancel("a");
    assert.equal(await scene.kill(leased), "stale");
    assert.deepEqual(await scene.claimIds(), []);
  });
});

/** A message with a callback, and another one that already has the id the callback will want. */
async function publishTaken(scene: Scene): Promise<void> {
  const taken = scene.item("taken", { delayMs: 1_000_000 });
  await scene.act(aPublish(scene.now, taken, scene.item("a", { callback: aCallback() })));
}

interface ReportJson {
  readonly status: number;
  readonly retried: number;
  readonly sourceMessageId: string;
  readonly dlqId?: string;
}

function reportOf(body: Uint8Array): ReportJson {
  return JSON.parse(Buffer.from(body).toString()) as ReportJson;
}
