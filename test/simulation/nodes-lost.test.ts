/** What the other nodes make of one that falls silent, and of one that stops. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_FACTS } from "../../src/store/node-facts.ts";
import type { Store } from "../../src/store/store.ts";
import { engineOn, openStore } from "./lone-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const SILENT_MS = 30_000;

test("a takeover names both nodes, and is shown to monitoring", async () => {
  const { time, store, engine, logged } = await watched();
  await store.beat("node_silent", false, { ...NO_FACTS, name: "host-1" });
  await time.runUntil(time.now + SILENT_MS);
  const [event, fields] = logged.find(([text]) => text.includes("took over")) ?? [];
  assert.equal(event, "this node took over the messages of silent nodes");
  const { by, from } = fields as { readonly by: string; readonly from: string };
  assert.match(by, /^host-2 \(node_\w+\)$/);
  assert.equal(from, "host-1 (node_silent)");
  assert.deepEqual(namesOf(engine), ["host-1"]);
});

test("a node that stops is not taken over", async () => {
  const { time, store, engine, logged } = await watched();
  const stopping = engineOn(store, time, { alone: false, nodeName: "host-1" });
  await stopping.start();
  assert.equal((await store.reader.service.nodes()).length, 2);
  await time.runUntil(time.now + SILENT_MS);
  const stopped = stopping.stop(1_000);
  await time.runUntil(time.now + 1_000);
  await stopped;
  await stopping.leave();
  const names = (await store.reader.service.nodes()).map(({ name }) => name);
  assert.deepEqual(names, ["host-2"]);
  await time.runUntil(time.now + 2 * SILENT_MS);
  assert.deepEqual(logged, []);
  assert.deepEqual(namesOf(engine), []);
});

test("a store that is away keeps no node from stopping", async () => {
  const { store, time, logged } = await watched();
  const away: Store = Object.create(store, {
    leave: { value: () => Promise.reject(new Error("away")) },
    recordStats: { value: () => Promise.reject(new Error("away")) },
  }) as Store;
  const engine = engineOn(away, time, { alone: false, log: logInto(logged) });
  await engine.leave();
  assert.deepEqual(
    logged.map(([event]) => event),
    ["this node stays in the list until others take over from it"],
  );
});

type Logged = [event: string, fields?: object];

async function watched() {
  const time = new SimulatedTime();
  const store = await openStore(time);
  const logged: Logged[] = [];
  const engine = engineOn(store, time, {
    alone: false,
    nodeName: "host-2",
    log: logInto(logged),
  });
  await engine.start();
  return { time, store, engine, logged };
}

function logInto(logged: Logged[]) {
  const record = (...line: Logged): void => void logged.push(line);
  return { info: record, warn: record, error: record };
}

function namesOf({ lostNodes }: { readonly lostNodes: readonly { readonly name: string }[] }) {
  return lostNodes.map(({ name }) => name);
}
