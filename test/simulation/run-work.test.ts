import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { test } from "node:test";

import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { bytes } from "../support/messages.ts";
import { aStart, refOf } from "../support/runs.ts";
import { engineThatReplies, SEND_MS } from "./replying-engine.ts";
import { SimulatedTime } from "./simulated-clock.ts";

const STEPS = 500;

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
  assert.equal((await store.reader.runs.get(refOf()))?.state.phase, "success");
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
  assert.ok(early.statements > 0 && early.bytesWritten > 0 && asked.rowsRead > 0);
  assert.equal(early.rowsRead, 0, "the writer remembers the run");
  for (const step of [150, 200, 300, 400, 499]) assert.deepEqual(costOf(step), early);
});

/** One step after the other, and then the end. */
function replyTo(delivery: number): Uint8Array {
  if (delivery > STEPS) return bytes('{"result":"1"}');
  const stepName = `step ${String(delivery).padStart(4, "0")}`;
  const step = { stepId: delivery, stepName, stepType: "Run", out: "1", concurrent: 1 };
  return bytes(JSON.stringify({ steps: [JSON.stringify(step)] }));
}

function rethrow(error: Error): never {
  throw error;
}
