/** A store that is silent for longer than other nodes wait, while nodes live and hold answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../src/core/model/message/attempt.ts";
import { publishItem } from "../../src/core/rules/message/compose.ts";
import { hostOf } from "../../src/core/policy/egress/read-destination.ts";
import type { Delivery } from "../../src/delivery/courier.ts";
import type { Store } from "../../src/store/store.ts";
import { aCallback, aMessage, anAccount, bytes } from "../support/messages.ts";
import { aStart, refOf } from "../support/runs.ts";
import { Chance } from "./chance.ts";
import { openStore } from "./lone-engine.ts";
import { SimulatedNode } from "./node.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const STEPS = 3;
const ANSWER_MS = 2_000;
/** Longer than it takes to declare a silent node dead. */
const SILENT_MS = 25_000;
/** Long enough to disown a lease, or to take it over. */
const AFTERWARDS_MS = 45_000;
const RUNS = ["run-1", "run-2", "run-3"];

for (const count of [1, 2]) {
  for (const step of [0, 1, STEPS]) {
    test(`${count} nodes: what ended while the store was silent in step ${step} is not sent again`, async () => {
      const scene = await stage(count);
      const { time, calls } = scene;
      await publish(scene);
      // Into the exchange of that step, which ends in the silence.
      await time.runUntil(time.now + 100);
      while (calls.get(`run-1 ${step}`) === undefined) await time.runUntil(time.now + 50);
      scene.isSilent = true;
      await time.runUntil(time.now + SILENT_MS);
      scene.isSilent = false;
      await time.runUntil(time.now + AFTERWARDS_MS);
      for (const [what, times] of calls)
        assert.equal(times, 1, `${what} was called ${times} times`);
      assert.equal(calls.size, PLAIN.length + 1 + RUNS.length * (STEPS + 1));
      for (const runId of RUNS) {
        const run = await scene.store.reader.runs.get(refOf(runId));
        assert.equal(run?.state.phase, "success");
      }
      for (const node of scene.nodes) node.kill();
      await scene.store.close();
    });
  }
}

interface Stage {
  readonly time: SimulatedTime;
  readonly store: Store;
  readonly nodes: readonly SimulatedNode[];
  /** How often each message or step was called. */
  readonly calls: Map<string, number>;
  isSilent: boolean;
}

async function stage(count: number): Promise<Stage> {
  const time = new SimulatedTime();
  const store = await openStore(time);
  await store.act({ rule: "add-account", account: anAccount({ accountId: "account" }) });
  const calls = new Map<string, number>();
  const nodes: SimulatedNode[] = [];
  const scene: Stage = { time, store, nodes, calls, isSilent: false };
  const world = {
    time,
    chance: new Chance(1),
    store,
    get storeFaults() {
      return scene.isSilent ? 1 : 0;
    },
    answer: (delivery: Delivery) => ({ outcome: answerTo(delivery, calls), afterMs: ANSWER_MS }),
    onAttempt: () => undefined,
  };
  while (nodes.length < count) {
    const node = new SimulatedNode(world, 0, () => undefined);
    nodes.push(node);
    await Promise.all([node.engine.start(), time.runUntil(time.now + 100)]);
  }
  return scene;
}

/** A queue, a key and a callback, each of which has its own way through a settlement. */
const PLAIN = ["plain", "queued", "keyed", "reported"];

async function publish({ store, time }: Stage): Promise<void> {
  for (const runId of RUNS) await store.act(aStart({ runId }));
  const more = {
    plain: {},
    queued: { queueName: "queue", rootId: "queued" },
    keyed: { flowControl: { key: "key", parallelism: 1, periodMs: 1_000 } },
    reported: { callback: aCallback() },
  };
  const items = Object.entries(more).map(([messageId, fields]) => {
    const message = aMessage({ messageId, createdAt: time.now, notBefore: time.now, ...fields });
    const { url } = message;
    return publishItem(
      { message, host: hostOf(url), body: bytes(""), deduplication: null },
      undefined,
    );
  });
  await store.act({ rule: "publish", at: time.now, items });
}

function answerTo({ message }: Delivery, calls: Map<string, number>): Outcome {
  const { run, kind, messageId } = message;
  const name = run === undefined ? messageId : `${run.runId} ${run.ordinal}`;
  const what = kind === "publish" || kind === "step" ? name : kind;
  calls.set(what, (calls.get(what) ?? 0) + 1);
  const answer = { kind: "answer", status: 200 } as const;
  if (run === undefined) return { ...answer, headers: [], body: bytes("") };
  return { ...answer, headers: REPLYING, body: replyTo(run.ordinal) };
}

function replyTo(ordinal: number): Uint8Array {
  if (ordinal === STEPS) return bytes('{"result":"1"}');
  const step = { stepId: ordinal + 1, stepName: "step", stepType: "Run", concurrent: 1 };
  return bytes(JSON.stringify({ steps: [JSON.stringify(step)] }));
}

const REPLYING = [
  ["Svc-Workflow-Sdk-Version", "1"],
  ["Svc-Workflow-Reply", "1"],
] as const;
