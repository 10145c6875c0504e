import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import type { RunKey } from "../../../src/core/model/workflow/run.ts";
import { nextTurn } from "../../../src/platform/turn.ts";
import { aMessage, START_AT } from "../../support/messages.ts";
import { postgresMissing, withClient } from "../../support/postgres-url.ts";
import { anEnd, anItem, aNotify, aStart, aStep, aWait, refOf } from "../../support/runs.ts";
import type { Scene } from "../scene.ts";
import { type Cluster, openCluster, transactionWaits } from "./cluster.ts";

const ROUNDS = 30;

describe("nodes that move the same run", { skip: postgresMissing() }, () => {
  let cluster: Cluster;
  let one: Scene;
  let other: Scene;

  before(async () => {
    cluster = await openCluster(2);
    [one, other] = cluster.scenes as [Scene, Scene];
  });
  after(async () => {
    await cluster.close();
  });

  /** Starts a run and takes its first delivery out of the way. */
  async function started(runId: string): Promise<void> {
    await one.act(aStart({ runId }, { nodeId: "node" }));
  }

  test("one of them starts it", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `start-${round}`;
      const start = (scene: Scene, node: string) => {
        const act = aStart({ runId });
        return scene.act({
          ...act,
          requested: { ...act.requested, messageId: `${runId}-${node}` },
        });
      };
      const answers = await Promise.all([start(one, "one"), start(other, "other")]);
      const fresh = answers.filter((answer) => answer.kind === "started" && !answer.deduplicated);
      assert.equal(fresh.length, 1);
      assert.equal((await one.store.reader.runs.entries(keyOf(runId))).length, 1);
    }
  });

  test("the last two results of a group are joined once", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `join-${round}`;
      await started(runId);
      const plans = [1, 2].map((n) =>
        anItem(`${runId}-p${n}`, n, { kind: "plan", nodeId: "node" }),
      );
      await submit(one, runId, ...plans);
      await Promise.all([
        submit(one, runId, anItem(`${runId}-r1`, 1, { nodeId: "node" })),
        submit(other, runId, anItem(`${runId}-r2`, 2, { nodeId: "node" })),
      ]);
      const granted = ["r1", "r2"].map((name) => ({
        accountId: "account",
        messageId: `${runId}-${name}`,
        fence: 1,
        host: "example.test",
        attempts: 0,
      }));
      const leased = await one.store.leased(granted);
      const sizes = leased.map(
        ({ body }) => (JSON.parse(Buffer.from(body).toString()) as []).length,
      );
      assert.deepEqual(
        sizes.toSorted((first, second) => first - second),
        [4, 5],
      );
    }
  });

  test("a step that both submit is recorded once", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `step-${round}`;
      await started(runId);
      const answers = await Promise.all([
        submit(one, runId, anItem(`${runId}-a`, 1)),
        submit(other, runId, anItem(`${runId}-b`, 1)),
      ]);
      const items = answers.flatMap((answer) => (answer.kind === "appended" ? answer.items : []));
      assert.equal(items.filter(({ deduplicated }) => !deduplicated).length, 1);
      assert.equal(items[0]?.messageId, items[1]?.messageId);
    }
  });

  test("a wait, its event and its deadline meet, and one thing happens", async () => {
    const ends = new Set<string>();
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `wait-${round}`;
      await started(runId);
      const key = { ...keyOf(runId), eventId: "event", stepId: 1 };
      const messageIds = [`${runId}-told`];
      const notify = aNotify(one.now, "event", { refs: [refOf(runId)], messageIds });
      const timeOut = {
        rule: "time-out-wait",
        at: one.now,
        key,
        messageId: `${runId}-late`,
      } as const;
      const waiting = one.act(aWait(key, one.now, 0));
      if (round % 3 > 0) await waiting;
      const notified = other.act(notify);
      // A group begins a turn after its first act, so that in some rounds the event is ahead.
      if (round % 2 > 0) await nextTurn();
      await Promise.all([waiting, notified, one.act(timeOut), other.act(timeOut)]);
      const entries = await one.store.reader.runs.entries(keyOf(runId));
      const results = entries.filter(({ kind }) => kind === "result");
      assert.equal(results.length, 1, JSON.stringify(entries.map(({ kind }) => kind)));
      ends.add(Buffer.from(results[0]!.body).toString().includes("waitTimeout") ? "late" : "told");
      assert.deepEqual(await one.store.reader.waiters.forEvent("account", "event", null, 10), []);
    }
    assert.deepEqual([...ends].toSorted(), ["late", "told"]);
  });

  test("it is finished, canceled or fails, and only one of them", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `end-${round}`;
      await one.act(aStart({ runId }));
      const leased = (await one.claim()).find(({ lease }) => lease.messageId === `${runId}-0`)!;
      const [dead, ...ended] = await Promise.all([
        one.kill(leased),
        other.act(anEnd(one.now, "success", { ref: refOf(runId) })),
        one.act(anEnd(one.now, "canceled", { ref: refOf(runId) })),
      ]);
      const ends = [dead === "settled", ...ended.map((answer) => answer === "ended")];
      assert.equal(ends.filter(Boolean).length, 1, JSON.stringify(ends));
      const page = { after: null, count: 100, order: "earliestFirst" } as const;
      const filter = { isOfRun: true, messageIds: [`${runId}-0`] };
      const { items } = await one.store.reader.deadLetters.list("account", filter, page);
      assert.equal(items.length, dead === "settled" ? 1 : 0);
      for (const left of await one.claim()) await one.deliver(left);
    }
  });

  test("it gains a step or fails for having gained nothing, and only one of them", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const runId = `idle-${round}`;
      await one.act(aStart({ runId }));
      const leased = (await one.claim()).find(({ lease }) => lease.messageId === `${runId}-0`)!;
      const fail = () => one.settle(leased, { verdict: { kind: "dead", ifIdle: true } });
      const step = () => submit(other, runId, anItem(`${runId}-a`, 1));
      const [settled, submitted] = await Promise.all(
        round % 2 ? [fail(), step()] : [step(), fail()].toReversed(),
      );
      const state = (await one.store.reader.runs.get(refOf(runId)))?.state;
      const seen = JSON.stringify([settled, submitted, state?.phase]);
      if (settled === "gained") {
        assert.match(seen, /appended.*started/);
        await one.deliver(leased);
      } else assert.match(seen, /"settled".*ended.*failed/);
      for (const left of await one.claim()) await one.deliver(left);
    }
  });

  test("a step behind a first step that is sent again has the new headers", async () => {
    const runId = "restated";
    await started(runId);
    const requested = aMessage({ messageId: "again", kind: "step", headers: [["X-Own", "new"]] });
    const restart = { rule: "restart-first-step", ref: refOf(runId), requested } as const;
    const [restarted, submitted] = await withClient(cluster.url, async (client) => {
      await client.query("BEGIN");
      await client.query("SELECT FROM runs WHERE run_id = $1 FOR UPDATE", [runId]);
      const first = one.act({ ...restart, at: one.now, nodeId: "node" });
      await transactionWaits(cluster.url);
      const second = submit(other, runId, anItem("behind", 1, { nodeId: "node" }));
      await transactionWaits(cluster.url, 2);
      await client.query("COMMIT");
      return Promise.all([first, second]);
    });
    assert.deepEqual([restarted.kind, submitted.kind], ["started", "appended"]);
    for (const messageId of ["again", "behind"]) {
      const stored = await one.store.reader.messages.get({ accountId: "account", messageId });
      assert.deepEqual(stored?.message.headers[0], ["X-Own", "new"], messageId);
    }
  });

  test("parent and child end at the same time, in either order of their names", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [parentId, childId] =
        round % 2 ? [`a-${round}`, `b-${round}`] : [`d-${round}`, `c-${round}`];
      await started(parentId);
      const requested = anItem(`${parentId}-result`, 1).requested;
      const invoker = {
        ref: refOf(parentId),
        step: aStep(1),
        requested,
        messageId: `${parentId}-open`,
      };
      await one.act(aStart({ runId: childId }, { nodeId: "node", invoker }));
      const parent = { ...keyOf(parentId), stepId: 1 };
      const end = { ref: refOf(childId), invoker: parent, invokerMessageId: `${parentId}-told` };
      const [child, first] = await Promise.all([
        one.act(anEnd(one.now, "success", end)),
        other.act(anEnd(one.now, "canceled", { ref: refOf(parentId) })),
        other.act(anEnd(one.now, "canceled", end)),
        submit(one, parentId, anItem(`${parentId}-x`, 2)),
      ]);
      assert.ok(child === "ended" || first === "ended");
      for (const runId of [parentId, childId]) {
        assert.notEqual((await one.store.reader.runs.get(refOf(runId)))?.state.phase, "started");
      }
    }
  });
});

function keyOf(runId: string): RunKey {
  return { accountId: "account", runId, createdAt: START_AT };
}

function submit(scene: Scene, runId: string, ...items: ReturnType<typeof anItem>[]) {
  return scene.act({ rule: "append", at: scene.now, ref: refOf(runId), items });
}
