import assert from "node:assert/strict";

import { deadLetterId } from "../../src/core/model/message/dead-letter.ts";
import type { RunKey } from "../../src/core/model/workflow/run.ts";
import { textOf } from "../../src/wire/message/body.ts";
import { aCallback, aMessage, START_AT } from "../support/messages.ts";
import { anEnd, anItem, aRun, aStart, aStep, refOf } from "../support/runs.ts";
import { contract, idsOf, type Scene } from "./scene.ts";

const KEY: RunKey = { accountId: "account", runId: "run", createdAt: START_AT };

contract("runs", (promise) => {
  promise("a run is started once while it has not ended", async (scene) => {
    const starts = await Promise.all([scene.act(aStart()), scene.act(aStart())]);
    const fresh = starts.filter((answer) => answer.kind === "started" && !answer.deduplicated);
    assert.equal(fresh.length, 1);
    assert.equal((await scene.store.reader.runs.entries(KEY)).length, 1);
    await scene.act(anEnd(scene.now, "success"));
    const again = await scene.act(
      aStart({}, { requested: { ...aStart().requested, messageId: "second" } }),
    );
    assert.ok(again.kind === "started" && !again.deduplicated);
    assert.equal(again.createdAt, START_AT + 1);
  });

  promise("a name means its latest run, also beside words to an older one", async (scene) => {
    await scene.act(aStart());
    await scene.act(anEnd(scene.now, "success"));
    await scene.act(aStart({}, { requested: { ...aStart().requested, messageId: "second" } }));
    const old = { ...refOf(), createdAt: START_AT };
    const [late, right] = await Promise.all([
      scene.act({ rule: "append", at: scene.now, ref: old, items: [anItem("late", 1)] }),
      scene.act({ rule: "append", at: scene.now, ref: refOf(), items: [anItem("right", 1)] }),
    ]);
    assert.deepEqual([late.kind, right.kind], ["ended", "appended"]);
  });

  promise("a delivery carries the entries up to its own, and no later ones", async (scene) => {
    await scene.act(aStart());
    const [first] = await scene.claim();
    await append(scene, anItem("a", 1));
    await append(scene, anItem("b", 2));
    const later = await scene.claim();
    assert.deepEqual(entriesOf(first!.body), ["run-0"]);
    const lists = new Map(later.map(({ lease, body }) => [lease.messageId, entriesOf(body)]));
    assert.deepEqual(lists.get("a"), ["run-0", "a"]);
    assert.deepEqual(lists.get("b"), ["run-0", "a", "b"]);
    assert.ok(later.every(({ body }) => body.byteLength > 0));
  });

  promise("what is leased at once is read as a claim would read it", async (scene) => {
    await scene.act(aStart({}, { nodeId: "node" }));
    const granted = { accountId: "account", messageId: "run-0", fence: 1 };
    const [leased] = await scene.store.leased([{ ...granted, host: "example.test", attempts: 0 }]);
    assert.deepEqual(entriesOf(leased!.body), ["run-0"]);
    assert.equal((await scene.state("run-0"))?.nodeId, "node");
    assert.deepEqual(await scene.claimIds(), []);
  });

  promise("the size of a message is the size of what is sent", async (scene) => {
    await scene.act(aStart());
    await append(scene, anItem("a", 1));
    for (const { lease, body } of await scene.claim()) {
      assert.equal((await scene.state(lease.messageId))?.bytes, body.byteLength);
    }
  });

  promise("a step is recorded once, however often and wherever it is submitted", async (scene) => {
    await scene.act(aStart());
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((id) => append(scene, anItem(id, 1), anItem(`${id}2`, 2))),
    );
    const firsts = answers.flatMap((answer) => (answer.kind === "appended" ? answer.items : []));
    assert.equal(firsts.filter(({ deduplicated }) => !deduplicated).length, 2);
    assert.equal(new Set(firsts.map(({ messageId }) => messageId)).size, 2);
    assert.equal((await scene.store.reader.runs.entries(KEY)).length, 3);
  });

  promise(
    "results that arrive at once get an ordinal each, and one sees them all",
    async (scene) => {
      await scene.act(aStart());
      await append(scene, ...range(20).map((n) => anItem(`plan-${n}`, n, { kind: "plan" })));
      await scene.claim();
      await Promise.all(range(20).map((n) => append(scene, anItem(`result-${n}`, n))));
      const sizes = (await scene.claim()).map(({ body }) => entriesOf(body).length);
      assert.deepEqual(
        sizes.toSorted((one, other) => one - other),
        range(20).map((n) => 21 + n),
      );
    },
  );

  promise("a submission to a run that has ended changes nothing", async (scene) => {
    assert.deepEqual(await append(scene, anItem("a", 1)), { kind: "ended" });
    await scene.act(aStart());
    assert.equal(await scene.act(anEnd(scene.now, "success")), "ended");
    assert.equal(await scene.act(anEnd(scene.now, "canceled")), "absent");
    assert.deepEqual(await append(scene, anItem("a", 1)), { kind: "ended" });
    const stored = await scene.store.reader.runs.get(refOf());
    assert.equal(stored?.state.phase, "success");
    assert.equal(textOf(stored.response!), '"response"');
  });

  promise("the end of a run drops what waits, and lets what is under way end", async (scene) => {
    await scene.act(aStart({}, { nodeId: "node" }));
    await append(scene, anItem("waiting", 1));
    await scene.act(anEnd(scene.now, "canceled"));
    assert.equal(await scene.phase("waiting"), "CANCELED");
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.state("run-0"))?.cancelRequested, true);
    const granted = { accountId: "account", messageId: "run-0", fence: 1 };
    const [leased] = await scene.store.leased([{ ...granted, host: "example.test", attempts: 0 }]);
    assert.equal(await scene.retry(leased!, 10), "canceled");
    assert.equal(await scene.phase("run-0"), "CANCELED");
  });

  promise(
    "a step out of attempts fails its run: one letter, one call, nothing else",
    async (scene) => {
      await scene.act(aStart());
      await append(scene, anItem("a", 1, { kind: "plan" }), anItem("b", 2, { kind: "plan" }));
      await append(
        scene,
        anItem("sleeping", 3, {
          requested: { ...anItem("sleeping", 3).requested, notBefore: scene.now + 1e6 },
        }),
      );
      const leased = await scene.claim();
      const [one, other] = leased.filter(({ lease }) => ["a", "b"].includes(lease.messageId));
      await Promise.all([scene.kill(one!), scene.kill(other!)]);
      const { state } = (await scene.store.reader.runs.get(refOf()))!;
      assert.equal(state.phase, "failed");
      assert.equal(state.failure?.call?.state, "in-progress");
      assert.equal(await scene.phase("sleeping"), "CANCELED");
      const calls = (await scene.claim()).map(({ message }) => message.kind);
      assert.deepEqual(calls, ["failure-call"]);
      // Letters of runs are listed apart.
      assert.deepEqual(await scene.deadLetters(), []);
      const page = { after: null, count: 10, order: "earliestFirst" } as const;
      const { deadLetters } = scene.store.reader;
      const letters = await deadLetters.list("account", { isOfRun: true }, page);
      assert.equal(letters.items.length, 1);
      const named = { deadLetterIds: [deadLetterId(letters.items[0]!.deadLetter)] };
      assert.deepEqual((await deadLetters.list("account", named, page)).items, []);
      assert.deepEqual(letters.items[0]?.deadLetter.run, { runId: "run", createdAt: START_AT });
    },
  );

  promise("of an end and a failure at once, one is true", async (scene) => {
    await scene.act(aStart());
    const leased = await scene.claimOne();
    const [settled, ended] = await Promise.all([
      scene.kill(leased),
      scene.act(anEnd(scene.now, "success")),
    ]);
    const { state } = (await scene.store.reader.runs.get(refOf()))!;
    assert.equal(state.phase, ended === "ended" ? "success" : "failed");
    assert.equal(settled, ended === "ended" ? "canceled" : "settled");
  });

  promise("the report of a failure is kept with the run", async (scene) => {
    await scene.act(aStart());
    await scene.kill(await scene.claimOne());
    await scene.deliver(await scene.claimOne());
    const { state } = (await scene.store.reader.runs.get(refOf()))!;
    assert.equal(state.failure?.call?.state, "success");
    assert.equal(state.failure.messageId, "run-0");
  });

  promise("a call's last answer is brought home once, and never fails the run", async (scene) => {
    await scene.act(aStart());
    await scene.deliver(await scene.claimOne());
    const call = anItem("call", 1, { kind: "call", stepKey: "o:1" });
    const callback = aCallback({ url: aRun().workflowUrl });
    await append(scene, {
      ...call,
      requested: aMessage({ ...call.requested, callback, url: "https://third.test/" }),
    });
    const calling = await scene.claimOne();
    assert.equal(calling.message.kind, "call");
    await scene.retry(calling, 0);
    await scene.kill(await scene.claimOne());
    assert.deepEqual(idsOf(await scene.claim()), ["call-callback-2"]);
    const { state } = (await scene.store.reader.runs.get(refOf()))!;
    assert.equal(state.phase, "started");
  });

  promise("a call that is answered after its run has ended brings nothing home", async (scene) => {
    await scene.act(aStart({}, { nodeId: "node" }));
    const call = anItem("call", 1, { kind: "call", stepKey: "o:1" });
    const callback = aCallback({ url: aRun().workflowUrl });
    await append(scene, {
      ...call,
      requested: aMessage({ ...call.requested, callback, url: "https://third.test/" }),
    });
    const calling = await scene.claimOne();
    await scene.act(anEnd(scene.now, "canceled"));
    assert.equal(await scene.deliver(calling), "settled");
    assert.deepEqual(await scene.claimIds(), []);
    assert.equal((await scene.store.reader.runs.entries(KEY)).length, 2);
  });

  promise("the end of an invoked run is written into the one that waits for it", async (scene) => {
    await scene.act(aStart());
    const invoker = {
      ref: refOf(),
      step: aStep(1),
      requested: anItem("x", 1).requested,
      messageId: "opened",
    };
    const started = await scene.act(aStart({ runId: "child" }, { invoker }));
    assert.ok(started.kind === "started" && !started.deduplicated);
    const again = await scene.act(aStart({ runId: "other" }, { invoker }));
    assert.ok(again.kind === "started" && again.deduplicated && again.messageId === "opened");
    const parent = { ...KEY, stepId: 1 };
    const end = anEnd(scene.now, "success", { ref: refOf("child"), invoker: parent });
    assert.equal(await scene.act(end), "ended");
    const entries = await scene.store.reader.runs.entries(KEY);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["payload", "invoke", "result"],
    );
    const { out } = JSON.parse(textOf(entries[2]!.body)!) as { out: string };
    assert.deepEqual(JSON.parse(out), { body: '"response"', isCanceled: false, isFailed: false });
  });

  promise("a parent that has failed keeps the result, and is not called", async (scene) => {
    await scene.act(aStart());
    const first = await scene.claimOne();
    const invoker = {
      ref: refOf(),
      step: aStep(1),
      requested: anItem("x", 1).requested,
      messageId: "opened",
    };
    await scene.act(aStart({ runId: "child", failureCallback: undefined }, { invoker }));
    await scene.kill(first);
    const parent = { ...KEY, stepId: 1 };
    await scene.act(anEnd(scene.now, "canceled", { ref: refOf("child"), invoker: parent }));
    const entries = await scene.store.reader.runs.entries(KEY);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["payload", "invoke", "result"],
    );
    assert.equal(await scene.state("told-parent"), null);
  });

  promise("runs that ended long ago go, and those that are dead letters stay", async (scene) => {
    for (const runId of ["ended", "failed", "active"]) await scene.act(aStart({ runId }));
    const leased = await scene.claim();
    await scene.act(anEnd(scene.now, "success", { ref: refOf("ended") }));
    await scene.kill(leased.find(({ lease }) => lease.messageId === "failed-0")!);
    scene.clock.advance(1_000);
    await scene.store.sweepAccount({
      accountId: "account",
      now: scene.now,
      endedBefore: scene.now,
      deadLettersBefore: 0,
      surplusBefore: null,
      after: "",
      pageMax: 100,
    });
    assert.equal(await scene.store.reader.runs.get(refOf("ended")), null);
    assert.deepEqual(await scene.store.reader.runs.entries({ ...KEY, runId: "ended" }), []);
    for (const runId of ["failed", "active"]) {
      assert.notEqual(await scene.store.reader.runs.get(refOf(runId)), null, runId);
    }
  });

  promise("a message of a run is not canceled by itself", async (scene) => {
    await scene.act(aStart());
    assert.deepEqual(await scene.cancel("run-0"), { canceled: 0, inFlight: 0 });
    assert.deepEqual(await scene.claimIds(), ["run-0"]);
  });
});

function append(scene: Scene, ...items: readonly ReturnType<typeof anItem>[]) {
  return scene.act({ rule: "append", at: scene.now, ref: refOf(), items });
}

function entriesOf(body: Uint8Array): string[] {
  const entries = JSON.parse(textOf(body)!) as { messageId: string }[];
  return entries.map(({ messageId }) => messageId);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
