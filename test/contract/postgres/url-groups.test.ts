import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { postgresMissing } from "../../support/postgres-url.ts";
import type { Scene } from "../scene.ts";
import { type Cluster, openCluster } from "./cluster.ts";

const LIMITS = { urlGroupsMax: 5, endpointsPerUrlGroupMax: 100 };
const ROUNDS = 20;

const put = (scene: Scene, accountId: string, name: string, url: string) =>
  scene.act({
    rule: "put-endpoints",
    at: scene.now,
    key: { accountId, name },
    endpoints: [{ url }],
    limits: LIMITS,
  });

describe("nodes that make URL groups at once", { skip: postgresMissing() }, () => {
  let cluster: Cluster;

  before(async () => {
    cluster = await openCluster(3);
  });
  after(async () => {
    await cluster.close();
  });

  test("never come to more groups than the limit", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const accountId = `limit-${round}`;
      const [first] = cluster.scenes as [Scene];
      await first.addAccount(accountId);
      const answers = await Promise.all(
        cluster.scenes.flatMap((scene, node) =>
          ["a", "b", "c"].map((name) => put(scene, accountId, `${name}${node}`, "https://x.test")),
        ),
      );
      assert.equal(answers.filter((answer) => "name" in answer).length, 5);
      assert.equal((await first.store.reader.urlGroups.list(accountId)).length, 5);
    }
  });

  test("all of their endpoints are in the group, whichever act created it", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const accountId = `same-${round}`;
      const [first] = cluster.scenes as [Scene];
      await first.addAccount(accountId);
      await Promise.all(
        cluster.scenes.map((scene, node) => put(scene, accountId, "g", `https://${node}.test`)),
      );
      const urlGroup = await first.store.reader.urlGroups.get({ accountId, name: "g" });
      assert.equal(urlGroup?.endpoints.length, cluster.scenes.length);
    }
  });
});
