import assert from "node:assert/strict";
import { test } from "node:test";

import { newMessage } from "../../src/core/rules/compose-message.ts";
import { Engine } from "../../src/engine/engine.ts";
import { createIds } from "../../src/platform/ids.ts";
import { Bell } from "../../src/store/bell.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const MESSAGES = 300;
const SEND_MS = 10;

test("a backlog for one host moves as fast as its slots come free", async () => {
  const time = new SimulatedTime();
  const store = await SqliteStore.open({
    path: ":memory:",
    clock: time.clock(),
    onFatal: (error) => {
      throw error;
    },
  });
  await publishBacklog(store, time.now);
  const bell = new Bell();
  let delivered = 0;
  const engine = new Engine({
    store: slowToClaim(store, time),
    clock: time.clock(),
    ids: createIds(),
    bell,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    courier: {
      close: () => Promise.resolve(),
      send: () => ({
        outcome: time
          .clock()
          .sleep(SEND_MS)
          .then(() => ({ kind: "answer", status: 200, headers: [], body: new Uint8Array(0) })),
        abort: () => undefined,
      }),
    },
    signingKey: () => "sig_test",
    onAttempt: () => (delivered += 1),
    onFatal: () => undefined,
    alone: true,
    limits: {
      slots: 1_000,
      slotsPerHost: 64,
      bytesMax: 1_000_000,
      responseBytesKept: 1_000,
      logRetentionMs: 1_000_000,
      deadLetterRetentionMs: 1_000_000,
      logBytesMax: 1_000_000_000,
    },
  });
  await engine.start();
  // Rounds of thirty-two and more at a time, and not one wait for the next look.
  await time.runUntil(time.now + 90 * SEND_MS);
  assert.equal(delivered, MESSAGES);

  // The host has earned more slots by now, and nothing of it is under way.
  await publishBacklog(store, time.now);
  bell.ring();
  await time.runUntil(time.now + 90 * SEND_MS);
  assert.equal(delivered, 2 * MESSAGES);
});

/** Slots come free while a claim is on its way, as they do when it takes a while. */
function slowToClaim(store: Store, time: SimulatedTime): Store {
  return {
    reader: store.reader,
    act: (act) => store.act(act),
    claim: async (request) => {
      const claim = await store.claim(request);
      await time.clock().sleep(SEND_MS + 5);
      return claim;
    },
    takeOver: (request) => store.takeOver(request),
    beat: (nodeId) => store.beat(nodeId),
    sweep: (request) => store.sweep(request),
    close: () => store.close(),
  };
}

async function publishBacklog(store: SqliteStore, now: number): Promise<void> {
  const ids = createIds();
  const items = Array.from({ length: MESSAGES }, () => ({
    message: newMessage(
      {
        accountId: "one",
        messageId: ids.sortable("msg_", now),
        kind: "publish",
        dialect: "svc",
        url: "https://busy.test/",
        method: "POST",
        headers: [],
        timeoutMs: 1_000,
        retries: 0,
        callerIp: "127.0.0.1",
        createdAt: now,
        notBefore: now,
      },
      "busy.test",
      new Uint8Array(0),
      null,
    ),
    deduplication: null,
  }));
  await store.act({ rule: "publish", at: now, items });
}
