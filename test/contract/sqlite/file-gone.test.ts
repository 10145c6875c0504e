/** A database whose file was removed or moved away would keep nothing beyond the process. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Problem } from "../../../src/core/problem.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { freshFolder } from "../../support/fresh-folder.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { aPublish, aPublishItem } from "../../support/messages.ts";

test("nothing is accepted while the file is gone, and what was leased still ends", async (t) => {
  const folder = join(freshFolder(t), "data");
  const store = await SqliteStore.open({
    path: join(folder, "postrider.db"),
    clock: new ManualClock(),
    onFatal: (error) => assert.fail(error),
  });
  t.after(() => store.close());
  const publish = (messageId: string): Promise<unknown> =>
    store.act(aPublish(0, aPublishItem({ messageId })));
  await publish("before");
  renameSync(folder, `${folder}-away`);
  await assert.rejects(publish("the first after it"), isGone);
  await assert.rejects(publish("meanwhile"), isGone);
  await assert.rejects(store.requireWritable(), isGone);
  const lease = { accountId: "account", messageId: "before", fence: 1 };
  await store.act({ rule: "hand-back", at: 0, lease });
  // Another file of the name, as a restored backup is, is not the one that is written.
  mkdirSync(folder);
  copyFileSync(join(`${folder}-away`, "postrider.db"), join(folder, "postrider.db"));
  await store.beat("node");
  await assert.rejects(publish("into another"), isGone);
  rmSync(folder, { recursive: true });
  renameSync(`${folder}-away`, folder);
  await store.requireWritable();
  await publish("after");
});

function isGone(error: unknown): boolean {
  return error instanceof Problem && error.kind === "overloaded" && error.message.includes("gone");
}
