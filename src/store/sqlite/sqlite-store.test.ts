import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";

import { ManualClock } from "../../../test/support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../../test/support/messages.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { startInMemory } from "./thread/thread-calls.ts";

test("callers are answered in time while the disk writes nothing", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const folder = mkdtempSync(join(tmpdir(), "postrider-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const disk = Promise.withResolvers<void>();
  const { writing, ...calls } = startInMemory();
  const store = await SqliteStore.open({
    path: join(folder, "postrider.db"),
    clock: new ManualClock(),
    onFatal: assert.fail,
    startThreads: () =>
      Promise.resolve({
        ...calls,
        writing: async (method, args) => {
          await disk.promise;
          return writing(method, args);
        },
      }),
  });
  const publish = (messageId: string) => store.act(aPublish(0, aPublishItem({ messageId })));
  const underWay = assert.rejects(publish("under-way"), /it may have been stored/);
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  const waiting = assert.rejects(publish("waiting"), /the store is busy/);
  for (let second = 0; second < 9; second++) t.mock.timers.tick(1_000);
  await Promise.all([underWay, waiting]);
  disk.resolve();
  await store.close();
});
