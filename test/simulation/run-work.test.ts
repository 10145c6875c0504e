import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { test } from "node:test";

import type { Delivery } from "../../src/delivery/courier.ts";
import { Engine } from "../../src/engine/engine.ts";
import { createIds } from "../../src/platform/ids.ts";
import { Bell } from "../../src/store/bell.ts";
import { RunLists } from "../../src/store/run-lists.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { anAccount, bytes } from "../support/messages.ts";
import { aStart, refOf } from "../support/runs.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const STEPS = 500;
const SEND_MS = 1;

/** What the database was asked for so far. */
const asked = { statements: 0, rowsRead: 0, bytesWritten: 0 };
type Asked = typeof asked;

type Statement = (this: StatementSync, ...values: unknown[]) => unknown;

/** The writer and the reader of a database in memory live in this thread, where they can be watched. */
function watchStatements(): void {
  const methods = StatementSync.prototype as unknown as Record<"get" | "all" | "run", Statement>;
  const { get, all, run } = methods;
  methods.get = function watched(...values) {
    const row = get.apply(this, values);
    count(row === undefined ? 0 : 1, []);
    return row;
  };
  methods.all = function watched(...values) {
    const rows = all.apply(this, values) as unknown[];
    count(rows.length, []);
    return rows;
  };
  methods.run = function watched(...values) {
    count(0, values);
    return run.apply(this, values);
  };
}

function count(rows: number, values: readonly unknown[]): void {
  asked.statements += 1;
  asked.rowsRead += rows;
  for (const value of values) {
    if (typeof value === "string") asked.bytesWritten += value.length;
    if (value instanceof Uint8Array) asked.bytesWritten += value.byteLength;
  }
}

test("a step asks no more of the store in a long run than in a short one", async () => {
  watchStatements();
  const time = new SimulatedTime();
  const clock = time.clock();
  const store = await SqliteStore.open({ path: ":memory:", clock, onFatal: rethrow });
  const seen: (Asked & { readonly bodyBytes: number })[] = [];
  const engine = engineThatReplies(store, time, ({ body }) => {
    seen.push({ ...asked, bodyBytes: body.byteLength });
    return replyTo(seen.length);
  });
  await store.act(aStart());
  await engine.start();
  for (let turn = 0; turn < STEPS && seen.length <= STEPS; turn++) {
    await time.runUntil(time.now + 10 * SEND_MS);
  }
  await time.runUntil(time.now + 100);
  assert.equal((await store.reader.run(refOf()))?.state.phase, "success");
  assert.equal(seen.length, STEPS + 1);

  const costOf = (step: number): Asked & { readonly bodyBytes: number } => {
    const [before, after] = [seen[step - 1]!, seen[step]!];
    return {
      statements: after.statements - before.statements,
      rowsRead: after.rowsRead - before.rowsRead,
      bytesWritten: after.bytesWritten - before.bytesWritten,
      bodyBytes: after.bodyBytes - before.bodyBytes,
    };
  };
  // The three digits of a step's number make it as long as any of those that are compared.
  const early = costOf(110);
  assert.ok(early.statements > 0 && early.rowsRead > 0 && early.bytesWritten > 0);
  for (const step of [150, 200, 300, 400, 499]) assert.deepEqual(costOf(step), early);
});

/** One step after the other, and then the end. */
function replyTo(delivery: number): Uint8Array {
  if (delivery > STEPS) return bytes('{"result":"1"}');
  const stepName = `step ${String(delivery).padStart(4, "0")}`;
  const step = { stepId: delivery, stepName, stepType: "Run", out: "1", concurrent: 1 };
  return bytes(JSON.stringify({ steps: [JSON.stringify(step)] }));
}

function engineThatReplies(
  store: SqliteStore,
  time: SimulatedTime,
  reply: (delivery: Delivery) => Uint8Array,
): Engine {
  const headers: [string, string][] = [
    ["Svc-Workflow-Sdk-Version", "1"],
    ["Svc-Workflow-Reply", "1"],
  ];
  return new Engine({
    store,
    clock: time.clock(),
    ids: createIds(),
    bell: new Bell(),
    tickBell: new Bell(),
    runLists: new RunLists(),
    account: () => anAccount(),
    readDestination: () => ({ problem: "not asked here", refused: false }),
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
    signingKey: () => "sig_test",
    responseBytesKept: () => 1_000,
    onAttempt: () => undefined,
    onFatal: rethrow,
    alone: true,
    limits: {
      slots: 100,
      slotsPerHost: 64,
      bytesMax: 100_000_000,
      logBytesMax: 1_000_000_000,
      storedBytesMax: 100_000_000,
    },
  });
}

function rethrow(error: Error): never {
  throw error;
}
