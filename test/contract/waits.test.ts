import assert from "node:assert/strict";
import { type RunKey, hookKey, resultKey } from "../../src/core/model/workflow/run.ts";
import { textOf } from "../../src/wire/message/body.ts";
import { bytes, START_AT } from "../support/messages.ts";
import { anEnd, anItem, aNotify, aStart, aWait, refOf } from "../support/runs.ts";
import { contract, type Scene } from "./scene.ts";

const KEY: RunKey = { accountId: "account", runId: "run", createdAt: START_AT };
const WAIT = { ...KEY, eventId: "event", stepId: 1 };

contract("waits", (promise) => {
  promise("an event is brought to who waits for it, with its data", async (scene) => {
    await start(scene);
    await scene.act(aWait(WAIT, scene.now));
    const { notified: told, kept } = await scene.act(aNotify(scene.now, "event"));
    assert.deepEqual([told.length, kept], [1, 0]);
    const last = await lastStep(scene);
    assert.equal(last["out"], Buffer.from("event").toString("base64"));
    assert.equal(last["waitEventId"], "event");
    assert.deepEqual(await scene.store.reader.waiters.forEvent("account", "event", null, 10), []);
    assert.deepEqual(await scene.claimIds(), ["told-1"]);
  });

  promise(
    "a deadline that has passed ends the wait, and one that has not does not",
    async (scene) => {
      await start(scene);
      await scene.act(aWait(WAIT, scene.now, 1_000));
      assert.equal((await scene.store.reader.upkeep.upcoming()).waitEndsAt, scene.now + 1_000);
      assert.equal(await timeOut(scene), "gone");
      scene.clock.advance(1_000);
      assert.equal((await scene.store.reader.waiters.due(scene.now, 10)).length, 1);
      assert.equal(await timeOut(scene), "timed-out");
      assert.equal(await timeOut(scene), "gone");
      assert.equal((await lastStep(scene))["waitTimeout"], true);
      assert.equal("out" in (await lastStep(scene)), false);
      assert.equal((await scene.store.reader.upkeep.upcoming()).waitEndsAt, null);
    },
  );

  promise("event or deadline, whichever was first, and never both", async (scene) => {
    await start(scene);
    await scene.act(aWait(WAIT, scene.now, 0));
    const [notified, timedOut] = await Promise.all([
      scene.act(aNotify(scene.now, "event", { isKept: false })),
      timeOut(scene),
    ]);
    assert.notEqual(notified.notified.length === 1, timedOut === "timed-out");
    const results = (await scene.store.reader.runs.entries(KEY)).filter(
      ({ kind }) => kind === "result",
    );
    assert.equal(results.length, 1);
  });

  promise("an event that comes while the run begins to wait is not lost", async (scene) => {
    await start(scene);
    await Promise.all([scene.act(aWait(WAIT, scene.now)), scene.act(aNotify(scene.now, "event"))]);
    const waiting = await scene.store.reader.waiters.forEvent("account", "event", null, 10);
    assert.deepEqual(waiting, []);
    assert.equal((await lastStep(scene))["waitEventId"], "event");
    assert.equal((await scene.store.reader.runs.get(refOf()))?.state.storedEvents, 0);
  });

  promise("events are kept in their order, and taken one by one", async (scene) => {
    await start(scene);
    for (const text of ["one", "two", "three"]) {
      const body = new TextEncoder().encode(text);
      assert.equal((await scene.act(aNotify(scene.now, "event", { body }))).kept, 1);
    }
    const waits = [1, 2].map((stepId) => scene.act(aWait({ ...WAIT, stepId }, scene.now)));
    await Promise.all(waits);
    const steps = (await scene.store.reader.runs.entries(KEY)).filter(
      ({ kind }) => kind === "result",
    );
    const outs = steps.map(({ body }) => (JSON.parse(textOf(body)!) as { out: string }).out);
    assert.deepEqual(
      outs.map((out) => Buffer.from(out, "base64").toString()),
      ["one", "two"],
    );
    assert.equal((await scene.store.reader.runs.get(refOf()))?.state.storedEvents, 1);
  });

  promise("a wait that is asked for twice is one wait", async (scene) => {
    await start(scene);
    await scene.act(aWait(WAIT, scene.now));
    const again = await scene.act(aWait(WAIT, scene.now));
    assert.ok(again.kind === "waiting" && again.deduplicated);
    assert.equal(
      (await scene.store.reader.waiters.forEvent("account", "event", null, 10)).length,
      1,
    );
  });

  promise("a step that has its result does not begin to wait", async (scene) => {
    await start(scene);
    await give(scene, 1);
    const answer = await scene.act(aWait(WAIT, scene.now));
    assert.deepEqual(answer, {
      kind: "waiting",
      messageId: "given-1",
      deduplicated: true,
      leased: false,
    });
    assert.equal((await scene.store.reader.upkeep.upcoming()).waitEndsAt, null);
  });

  promise("a wait is over when its step is given a result by its endpoint", async (scene) => {
    await start(scene);
    for (const stepId of [1, 2, 3]) await scene.act(aWait({ ...WAIT, stepId }, scene.now, 0));
    await give(scene, 1);
    assert.equal(await timeOut(scene), "gone");
    await give(scene, 2);
    const { notified: told, kept } = await scene.act(aNotify(scene.now, "event"));
    assert.deepEqual([told.map(({ waiter }) => waiter.stepId), kept], [[3], 0]);
    assert.equal((await scene.store.reader.upkeep.upcoming()).waitEndsAt, null);
    const entries = await scene.store.reader.runs.entries(KEY);
    const results = entries.filter(({ kind }) => kind === "result");
    assert.deepEqual(
      results.map(({ messageId }) => messageId),
      ["given-1", "given-2", "told-1"],
    );
  });

  promise("a call to a webhook is taken by the run that has created it", async (scene) => {
    await start(scene);
    await scene.act(aWebhookWait(1, scene.now));
    const before = await scene.store.reader.runs.get(refOf());
    assert.deepEqual(await ring(scene), { notified: [], kept: 0, refused: 1 });
    assert.deepEqual(await scene.store.reader.runs.get(refOf()), before);
    await hook(scene, "event");
    assert.equal(await scene.store.reader.runs.hasStep(KEY, hookKey("event")), true);
    assert.equal(await scene.store.reader.runs.hasStep(KEY, hookKey("other")), false);
    assert.equal(
      await scene.store.reader.runs.hasStep({ ...KEY, accountId: "x" }, "h:event"),
      false,
    );
    assert.deepEqual((await ring(scene)).notified.length, 1);
    assert.equal((await lastStep(scene))["waitEventId"], "event");
  });

  promise("a webhook that is created twice is one webhook", async (scene) => {
    await start(scene);
    const items = [9, 9, 8].map((stepId, index) =>
      anItem(`hook-${index}`, stepId, { hookId: "event" }),
    );
    await scene.act({ rule: "append", at: scene.now, ref: refOf(), items });
    await hook(scene, "event");
    const entries = await scene.store.reader.runs.entries(KEY);
    assert.equal(entries.filter(({ kind }) => kind === "hook").length, 1);
    assert.equal((await ring(scene)).kept, 1);
  });

  promise("webhooks release waits for webhooks, notifications all others", async (scene) => {
    await start(scene);
    await hook(scene, "event");
    await scene.act(aWait({ ...WAIT, stepId: 1 }, scene.now));
    await scene.act(aWebhookWait(2, scene.now));
    const notified = await scene.act(aNotify(scene.now, "event"));
    assert.deepEqual(
      notified.notified.map(({ waiter }) => waiter.stepId),
      [1],
    );
    assert.equal((await scene.act(aNotify(scene.now, "event"))).kept, 1);
    const called = await ring(scene, { messageIds: ["called"] });
    assert.deepEqual(
      called.notified.map(({ waiter }) => waiter.stepId),
      [2],
    );
  });

  promise("what came before a wait is taken by a wait of its own kind", async (scene) => {
    await start(scene);
    await hook(scene, "event");
    for (const text of ["one", "two"]) {
      assert.equal((await ring(scene, { body: bytes(`called ${text}`) })).kept, 1);
      const told = aNotify(scene.now, "event", { body: bytes(`told ${text}`) });
      assert.equal((await scene.act(told)).kept, 1);
    }
    await Promise.all([
      scene.act(aWait({ ...WAIT, stepId: 1 }, scene.now)),
      scene.act(aWebhookWait(2, scene.now)),
      scene.act(aWait({ ...WAIT, stepId: 3 }, scene.now)),
    ]);
    const outs = new Map<number, string>();
    for (const { kind, stepKey, body } of await scene.store.reader.runs.entries(KEY)) {
      if (kind !== "result" || stepKey === resultKey(9)) continue;
      const { stepId, out } = JSON.parse(textOf(body)!) as { stepId: number; out: string };
      outs.set(stepId, Buffer.from(out, "base64").toString());
    }
    assert.deepEqual(
      [1, 2, 3].map((stepId) => outs.get(stepId)),
      ["told one", "called one", "told two"],
    );
    assert.equal((await scene.store.reader.runs.get(refOf()))?.state.storedEvents, 1);
    await scene.act(aWait({ ...WAIT, stepId: 4 }, scene.now));
    const waiting = await scene.store.reader.waiters.forEvent("account", "event", null, 10);
    assert.deepEqual(
      waiting.map(({ stepId }) => stepId),
      [4],
    );
  });

  promise("an ended run waits for nothing, and keeps no event", async (scene) => {
    await start(scene);
    await scene.act(aWait(WAIT, scene.now));
    await scene.act(aNotify(scene.now, "other"));
    await scene.act(anEnd(scene.now, "canceled"));
    assert.deepEqual(await scene.store.reader.waiters.forEvent("account", "event", null, 10), []);
    assert.equal((await scene.store.reader.upkeep.upcoming()).waitEndsAt, null);
    assert.equal((await scene.act(aNotify(scene.now, "event"))).refused, 1);
    assert.deepEqual(await scene.act(aWait({ ...WAIT, stepId: 2 }, scene.now)), { kind: "ended" });
  });

  promise("waiters of an event are listed page by page", async (scene) => {
    for (const runId of ["a", "b", "c"]) {
      await scene.act(aStart({ runId }));
      await scene.act(aWait({ ...WAIT, runId }, scene.now));
    }
    const { reader } = scene.store;
    const first = await reader.waiters.forEvent("account", "event", null, 2);
    const rest = await reader.waiters.forEvent("account", "event", first.at(-1)!, 2);
    assert.deepEqual(
      [...first, ...rest].map(({ runId }) => runId),
      ["a", "b", "c"],
    );
    assert.deepEqual(await reader.waiters.forEvent("other", "event", null, 2), []);
  });

  promise("runs that have not ended are found by what they were started with", async (scene) => {
    await scene.act(aStart({ runId: "a", labels: ["red"] }));
    await scene.act(aStart({ runId: "b", workflowUrl: "https://example.test/other" }));
    await scene.act(aStart({ runId: "c" }));
    await scene.act(anEnd(scene.now, "success", { ref: refOf("c") }));
    const { reader } = scene.store;
    const found = async (filter: Parameters<typeof reader.runs.active>[1]): Promise<string[]> => {
      const page = await reader.runs.active("account", filter, { after: null, count: 10 });
      return page.items.map(({ runId }) => runId);
    };
    assert.deepEqual(await found({}), ["a", "b"]);
    assert.deepEqual(await found({ labels: ["red", "blue"] }), ["a"]);
    assert.deepEqual(await found({ workflowUrls: ["https://example.test/"] }), []);
    const prefix = { workflowUrls: ["https://example.test/o"], isUrlPrefix: true };
    assert.deepEqual(await found(prefix), ["b"]);
    const page = await reader.runs.active("account", {}, { after: null, count: 1 });
    assert.equal(page.next, "a");
    assert.equal(
      (await reader.runs.active("account", {}, { after: "a", count: 1 })).items[0]?.runId,
      "b",
    );
  });
});

async function start(scene: Scene): Promise<void> {
  await scene.act(aStart());
  await scene.deliver(await scene.claimOne());
}

/** A step of the workflow creates a webhook. */
async function hook(scene: Scene, hookId: string): Promise<void> {
  const items = [anItem("hook", 9, { hookId })];
  await scene.act({ rule: "append", at: scene.now, ref: refOf(), items });
}

/** A stranger calls the webhook. */
function ring(scene: Scene, more: Parameters<typeof aNotify>[2] = {}) {
  return scene.act(aNotify(scene.now, "event", { isHook: true, ...more }));
}

function aWebhookWait(stepId: number, at: number) {
  return aWait({ ...WAIT, stepId }, at, 1_000, "WaitForWebhook");
}

/** The endpoint itself submits the result of a step. */
async function give(scene: Scene, stepId: number): Promise<void> {
  const items = [anItem(`given-${stepId}`, stepId)];
  await scene.act({ rule: "append", at: scene.now, ref: refOf(), items });
}

function timeOut(scene: Scene): Promise<string> {
  return scene.act({ rule: "time-out-wait", at: scene.now, key: WAIT, messageId: "timed-out" });
}

async function lastStep(scene: Scene): Promise<Record<string, unknown>> {
  const entries = await scene.store.reader.runs.entries(KEY);
  return JSON.parse(textOf(entries.at(-1)!.body)!) as Record<string, unknown>;
}
