/** Nodes count in rows of their own, and what is read is the sum. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf } from "../../../src/core/model/account/stats.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { openCluster } from "./cluster.ts";

test("what three nodes count at once adds up", { skip: postgresMissing() }, async () => {
  const cluster = await openCluster(3);
  const { scenes, clock } = cluster;
  try {
    const indexes = Array.from({ length: 900 }, (_, index) => index);
    await Promise.all(indexes.map((index) => scenes[index % 3]!.publish(`message-${index}`)));
    for (const { store } of scenes) {
      const [today] = await store.reader.accounts.dailyCounts("account", dayOf(clock.now()));
      assert.equal(today?.messages, 900);
    }
  } finally {
    await cluster.close();
  }
});
