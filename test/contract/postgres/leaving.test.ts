import assert from "node:assert/strict";
import { test } from "node:test";
import { PostgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { freshDatabase, postgresMissing } from "../../support/postgres-url.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";

const STATEMENTS_MAX = 20;

for (const when of ["before", "after"] as const) {
  test(
    `a node that stops leaves no row, also when its connection breaks (${when} a statement)`,
    { skip: postgresMissing() },
    async (t) => {
      const database = await freshDatabase();
      const proxy = await startCuttingProxy(database.url);
      const clock = new ManualClock();
      const others = await PostgresStore.open({ url: database.url, clock, time: "given" });
      const store = await PostgresStore.open({ url: proxy.url, clock, time: "given" });
      t.after(async () => {
        await Promise.all([store.close(), others.close()]);
        await proxy.close();
        await database.drop();
      });
      for (let statement = 1; statement <= STATEMENTS_MAX; statement++) {
        const nodeId = `leaves-${statement}`;
        await store.beat(nodeId);
        const disarm = proxy.arm({ statement, when, times: 1 });
        await store.leave(nodeId);
        const cuts = disarm();
        const { nodes } = await others.beat("stays");
        const left = nodes.map((node) => node.nodeId);
        assert.deepEqual(left, ["stays"], `broken at statement ${statement}`);
        if (cuts === 0) return;
      }
      assert.fail("it never leaves");
    },
  );
}
