/** One engine alone on its store, in simulated time, with destinations that do as they are told. */
import type { Outcome } from "../../src/core/model/message/attempt.ts";
import { newMessage } from "../../src/core/rules/message/compose-message.ts";
import type { Courier } from "../../src/delivery/courier.ts";
import { SteadyClock } from "../../src/platform/due-time-clock.ts";
import { Engine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/engine-options.ts";
import { createIds } from "../../src/platform/ids.ts";
import { Bell } from "../../src/store/bell.ts";
import { RunLists } from "../../src/store/reads/run-lists.ts";
import { FairTurns } from "../../src/platform/fair-turns.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import type { SimulatedTime } from "./simulated-clock.ts";

export const SEND_MS = 10;
/** Of a host without any history. */
export const HOST_SLOTS = 32;

export function openStore(time: SimulatedTime): Promise<SqliteStore> {
  return SqliteStore.open({
    path: ":memory:",
    clock: time.clock(),
    onFatal: (error) => {
      throw error;
    },
  });
}

/** The real engine, alone on its store, with a destination that always answers. */
export function engineOn(store: Store, time: SimulatedTime, more: Partial<EngineOptions>): Engine {
  return new Engine({
    store,
    clock: new SteadyClock(time.clock()),
    machineClock: time.clock(),
    ids: createIds(),
    bell: new Bell(),
    tickBell: new Bell(),
    deletionBell: new Bell(),
    runLists: new RunLists(),
    turns: new FairTurns(),
    account: () => null,
    readDestination: () => ({ problem: "not asked here", refused: false }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    courier: answering(time),
    signingKey: () => "sig_test",
    responseBytesKept: () => 1_000,
    onAttempt: () => undefined,
    onFatal: () => undefined,
    keyIds: () => [],
    onSecretKey: () => undefined,
    alone: true,
    version: "0.0.0",
    nodeName: "host",
    requiresStandby: false,
    limits: LIMITS,
    ...more,
  });
}

export const LIMITS = {
  slots: 1_000,
  slotsPerHost: 64,
  bytesMax: 1_000_000,
  logBytesMax: 1_000_000_000,
  storedBytesMax: 100_000_000,
};

export function answering(time: SimulatedTime, onSend: () => void = () => undefined): Courier {
  const outcome = async (): Promise<Outcome> => {
    onSend();
    await time.clock().sleep(SEND_MS);
    return { kind: "answer", status: 200, headers: [], body: new Uint8Array(0) };
  };
  return {
    close: () => Promise.resolve(),
    send: () => ({ outcome: outcome(), abort: () => undefined }),
  };
}

/** It takes a while until what became of a message is stored. */
export function slowToSettle(store: Store, time: SimulatedTime, waitMs: number): Store {
  return {
    ...slowToClaim(store, time, 0),
    act: async (act) => {
      if (act.rule === "settle") await time.clock().sleep(waitMs);
      return store.act(act);
    },
  };
}

/** Slots come free while a claim is on its way, as they do when it takes a while. */
export function slowToClaim(
  store: Store,
  time: SimulatedTime,
  firstMs: number,
  laterMs = firstMs,
): Store {
  let waitMs = firstMs;
  return {
    reader: store.reader,
    clock: store.clock,
    upcoming: (ageMsMax) => store.upcoming(ageMsMax),
    isOnlyWriter: false,
    slotFreed: store.slotFreed,
    act: (act) => store.act(act),
    claim: async (request) => {
      const claim = await store.claim(request);
      await time.clock().sleep(waitMs);
      waitMs = laterMs;
      return claim;
    },
    leased: (granted) => store.leased(granted),
    takeOver: (request) => store.takeOver(request),
    beat: (...beat) => store.beat(...beat),
    leave: (nodeId) => store.leave(nodeId),
    isDiskFull: false,
    recordStats: (minutesMax) => store.recordStats(minutesMax),
    requireWritable: () => store.requireWritable(),
    totals: () => store.totals(),
    sweep: (request) => store.sweep(request),
    sweepAccount: (request) => store.sweepAccount(request),
    removeAccount: (request) => store.removeAccount(request),
    close: () => store.close(),
  };
}

export async function publishBacklog(store: Store, now: number, count: number): Promise<void> {
  const ids = createIds();
  const items = Array.from({ length: count }, () => ({
    message: newMessage(
      {
        accountId: "one",
        messageId: ids.sortable("msg_", now),
        kind: "publish",
        dialect: "svc",
        url: "https://busy.test/",
        method: "POST",
        headers: [],
        settings: { timeoutMs: 1_000, retries: 0 },
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
