/** Another program that keeps the file locked, as a person with a shell of SQLite does, is waited for. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Problem } from "../../../src/core/problem.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { type ThreadCall } from "../../../src/store/sqlite/thread/thread-calls.ts";
import { freshFolder } from "../../support/fresh-folder.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../support/messages.ts";

const BUSY = { message: "database is locked", code: "ERR_SQLITE_ERROR", errcode: 5 };

/** SQLite itself would wait for five seconds first. */
const writing: ThreadCall = (method) => {
  if (method === "close") return Promise.resolve();
  if (method !== "packedGroup") return Promise.reject(Object.assign(new Error(), BUSY));
  const results = [{ ok: false, error: BUSY }];
  return Promise.resolve(JSON.stringify({ results, freedSlot: false }));
};
const reading: ThreadCall = () => Promise.resolve();

test("writes to a locked file are refused for a moment, and are no defects", async (t) => {
  const store = await SqliteStore.open({
    path: `${freshFolder(t)}/postrider.db`,
    clock: new ManualClock(),
    onFatal: (error) => assert.fail(error),
    startThreads: () => Promise.resolve({ writing, reading, listing: reading }),
  });
  t.after(() => store.close());
  await assert.rejects(store.act(aPublish(0, aPublishItem())), isBusy);
  await assert.rejects(store.beat("node"), isBusy);
});

function isBusy(error: unknown): boolean {
  return (
    error instanceof Problem && error.kind === "overloaded" && error.message.includes("locked")
  );
}
