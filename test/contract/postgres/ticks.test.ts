import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { Problem } from "../../../src/core/problem.ts";
import type { Store } from "../../../src/store/store.ts";
import { postgresMissing } from "../../support/postgres-url.ts";
import { aPutSchedule, scheduleKey, tickingOn } from "../../support/schedules.ts";
import { Chance } from "../../simulation/chance.ts";
import type { Scene } from "../scene.ts";
import { type Cluster, openCluster } from "./cluster.ts";

const MINUTE = 60_000;
const SCHEDULES = 30;
const MINUTES = 12;

describe("schedules on several nodes", { skip: postgresMissing() }, () => {
  let cluster: Cluster;
  let first: Scene;

  before(async () => {
    cluster = await openCluster(3);
    first = cluster.scenes[0]!;
    await first.addAccount("account");
  });
  after(() => cluster.close());

  test("no tick is lost or doubled while nodes die before and after they write", async () => {
    const ids = Array.from({ length: SCHEDULES }, (_, index) => `s${index}`);
    for (const id of ids) await first.act(aPutSchedule(first.now, id));
    const chance = new Chance(7);
    for (let minute = 0; minute < MINUTES; minute++) {
      cluster.clock.advance(MINUTE);
      // Nodes come and go; each of these is one that may die at its first write.
      const nodes = cluster.scenes.map(({ store }) =>
        tickingOn(mortal(store, chance), cluster.clock).ticker.runOnce().catch(isDeath),
      );
      await Promise.all(nodes);
      await tickingOn(first.store, cluster.clock).ticker.runOnce();
    }
    const made = await madeBy(first);
    assert.deepEqual(
      ids.map((id) => made.get(id)),
      ids.map(() => MINUTES),
    );
  });

  test("a tick that waits for a replacement makes nothing of the old settings", async () => {
    const old = "https://old.test/";
    const current = "https://new.test/";
    for (let round = 0; round < 20; round++) {
      const id = `r${round}`;
      await first.act(aPutSchedule(first.now, id, { destination: old, version: "1" }));
      const stored = await first.store.reader.schedules.get(scheduleKey(id));
      cluster.clock.advance((stored!.schedule.nextAt ?? 0) - first.now);
      const replacedAt = first.now - MINUTE;
      const replace = aPutSchedule(replacedAt, id, { destination: current, version: "2" });
      await Promise.all([
        cluster.scenes[1]!.act(replace),
        tickingOn(cluster.scenes[2]!.store, cluster.clock).ticker.runOnce(),
      ]);
      await tickingOn(first.store, cluster.clock).ticker.runOnce();
      const urls = (await first.logged())
        .filter(({ message, entry }) => message.scheduleId === id && entry.state === "CREATED")
        .map(({ message }) => message.url);
      // The old one may have fired before it was replaced; the new one then fires on its own.
      assert.ok(urls.filter((url) => url === old).length <= 1, `${id}: ${urls.join()}`);
      assert.equal(urls.filter((url) => url === current).length, 1, `${id}: ${urls.join()}`);
      await first.act({ rule: "remove-schedule", key: scheduleKey(id) });
    }
  });
});

/** A store whose node dies at a write: before it is done, after it, or not at all. */
function mortal(store: Store, chance: Chance): Store {
  return {
    ...store,
    reader: store.reader,
    upcoming: (ageMsMax) => store.upcoming(ageMsMax),
    act: async (act) => {
      const fate = chance.below(3);
      if (fate === 0) throw new Problem("overloaded", DEATH);
      const answer = await store.act(act);
      if (fate === 1) throw new Problem("overloaded", DEATH);
      return answer;
    },
  };
}

function isDeath(error: unknown): void {
  assert.ok(error instanceof Problem && error.message === DEATH, String(error));
}

async function madeBy(scene: Scene): Promise<Map<string, number>> {
  const made = new Map<string, number>();
  for (const { entry, message } of await scene.logged()) {
    const id = message.scheduleId;
    if (entry.state === "CREATED" && id !== undefined) made.set(id, (made.get(id) ?? 0) + 1);
  }
  return made;
}

const DEATH = "the node has died";
