import assert from "node:assert/strict";

import type { LeasedMessage } from "../../src/store/store.ts";
import { START_AT } from "../support/messages.ts";
import { anEnd, anItem, aNotify, aStart, aStep, aWait, refOf } from "../support/runs.ts";
import { contract, type Scene } from "./scene.ts";

const KEY = { accountId: "account", runId: "run", createdAt: START_AT };
const REASON = "nothing was submitted";

contract("runs that gain nothing", (promise) => {
  promise("a run that gained nothing fails, and takes nothing after that", async (scene) => {
    const first = await started(scene);
    assert.equal(await accepted(scene, first), "idle");
    assert.equal((await scene.state("run-0"))?.phase, "active");
    assert.equal(await phase(scene), "started");
    assert.equal(await failed(scene, first), "settled");
    assert.equal(await phase(scene), "failed");
    const page = { after: null, count: 10, order: "earliestFirst" } as const;
    const letters = await scene.store.reader.deadLetters.list("account", { isOfRun: true }, page);
    assert.deepEqual(
      letters.items.map(({ deadLetter }) => [deadLetter.status, deadLetter.error]),
      [[200, REASON]],
    );
    assert.deepEqual(await submitted(scene), { kind: "ended" });
    assert.deepEqual(
      (await scene.claim()).map(({ message }) => message.kind),
      ["failure-call"],
    );
  });

  const gains: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    step: submitted,
    wait: (scene) => scene.act(aWait({ ...KEY, eventId: "event", stepId: 1 }, scene.now)),
    "wait for an event that was kept": async (scene) => {
      await scene.act(aNotify(scene.now, "event"));
      await scene.act(aWait({ ...KEY, eventId: "event", stepId: 1 }, scene.now));
    },
    call: (scene) => {
      const call = anItem("call", 1, { kind: "call", stepKey: "o:1" });
      return scene.act({ rule: "append", at: scene.now, ref: refOf(), items: [call] });
    },
    child: (scene) => {
      const { requested } = anItem("result", 1);
      const invoker = { ref: refOf(), step: aStep(1), requested, messageId: "opened" };
      return scene.act(aStart({ runId: "child" }, { invoker }));
    },
    end: (scene) => scene.act(anEnd(scene.now, "success")),
    cancellation: (scene) => scene.act(anEnd(scene.now, "canceled")),
    introduction: (scene) => {
      const { requested } = anItem("asked-again", 1);
      const act = { rule: "restart-first-step", ref: refOf(), requested, nodeId: null } as const;
      return scene.act({ ...act, at: scene.now });
    },
  };
  for (const [name, gain] of Object.entries(gains)) {
    promise(`a ${name} before the answer is settled lets the run live`, async (scene) => {
      const first = await started(scene);
      await gain(scene);
      if ((await accepted(scene, first)) === "idle") {
        assert.equal(name, "introduction");
        assert.equal(await failed(scene, first), "gained");
        assert.equal(await scene.deliver(first), "settled");
      }
      assert.notEqual(await phase(scene), "failed");
      assert.deepEqual(await scene.states("run-0"), ["CREATED", "ACTIVE", "DELIVERED"]);
    });

    promise(`a ${name} that comes while the run is about to fail wins`, async (scene) => {
      const first = await started(scene);
      assert.equal(await accepted(scene, first), "idle");
      await gain(scene);
      assert.equal(await failed(scene, first), "gained");
      assert.equal(await scene.deliver(first), "settled");
      assert.notEqual(await phase(scene), "failed");
      assert.equal(await scene.phase("run-0"), "DELIVERED");
    });
  }

  promise("an event that is kept for the run is nothing that it gained", async (scene) => {
    const first = await started(scene);
    await scene.act(aNotify(scene.now, "event"));
    await scene.act(aNotify(scene.now, "event"));
    assert.equal(await accepted(scene, first), "idle");
    assert.equal(await failed(scene, first), "settled");
    assert.equal(await phase(scene), "failed");
  });

  promise("a step and the failure at once: one of them is refused", async (scene) => {
    const first = await started(scene);
    const [settled, answer] = await Promise.all([failed(scene, first), submitted(scene)]);
    assert.equal(answer.kind, settled === "settled" ? "ended" : "appended");
    assert.equal(await phase(scene), settled === "settled" ? "failed" : "started");
  });
});

async function started(scene: Scene): Promise<LeasedMessage> {
  await scene.act(aStart());
  return scene.claimOne();
}

/** The endpoint has accepted the first delivery. */
function accepted(scene: Scene, first: LeasedMessage) {
  return scene.settle(first, { verdict: { kind: "delivered", idleReason: REASON } });
}

function failed(scene: Scene, first: LeasedMessage) {
  return scene.settle(first, {
    verdict: { kind: "dead", reason: REASON, ifIdle: true },
    attempt: { status: 200, error: REASON },
  });
}

function submitted(scene: Scene) {
  return scene.act({ rule: "append", at: scene.now, ref: refOf(), items: [anItem("a", 1)] });
}

async function phase(scene: Scene): Promise<string | undefined> {
  return (await scene.store.reader.runs.get(refOf()))?.state.phase;
}
