import assert from "node:assert/strict";

import type { Delivery } from "../../src/delivery/courier.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anAccount } from "../support/messages.ts";
import { engineOn, LIMITS } from "./lone-engine.ts";
import type { SimulatedTime } from "./simulated-clock.ts";

/** How long a delivery takes. */
export const SEND_MS = 1;

/** The real engine, alone on its store, with an endpoint of workflows that replies. */
export function engineThatReplies(
  store: SqliteStore,
  time: SimulatedTime,
  reply: (delivery: Delivery) => Uint8Array,
  slotsPerHost = 64,
): Engine {
  const headers: [string, string][] = [
    ["Svc-Workflow-Sdk-Version", "1"],
    ["Svc-Workflow-Reply", "1"],
  ];
  return engineOn(store, time, {
    account: () => anAccount(),
    log: { info: () => undefined, warn: () => undefined, error: (event) => assert.fail(event) },
    courier: {
      close: () => Promise.resolve(),
      send: (delivery) => {
        const body = reply(delivery);
        const answer = { kind: "answer", status: 200, headers, body } as const;
        const outcome = time
          .clock()
          .sleep(SEND_MS)
          .then(() => answer);
        return { outcome, abort: () => undefined };
      },
    },
    onFatal: (error) => assert.fail(error),
    limits: { ...LIMITS, slots: 100, slotsPerHost, bytesMax: 100_000_000 },
  });
}
