import assert from "node:assert/strict";

import { contract, type Scene } from "./scene.ts";

const LIMITS = { urlGroupsMax: 3, endpointsPerUrlGroupMax: 2 };

function put(scene: Scene, name: string, urls: readonly string[], accountId = "account") {
  return scene.act({
    rule: "put-endpoints",
    at: scene.now,
    key: { accountId, name },
    endpoints: urls.map((url) => ({ url })),
    limits: LIMITS,
  });
}

const urlsOf = async (scene: Scene, name: string, accountId = "account") =>
  (await scene.store.reader.urlGroups.get({ accountId, name }))?.endpoints.map(({ url }) => url);

contract("URL groups", (promise) => {
  promise("are kept as they were put, and listed by name", async (scene) => {
    await scene.addAccount("account");
    await put(scene, "b", ["https://2.test", "https://1.test"]);
    await put(scene, "a", ["https://3.test"]);
    scene.clock.advance(5);
    const headers = [["Svc-Retries", "7"]] as const;
    const key = { accountId: "account", name: "b" };
    const set = await scene.act({ rule: "set-url-group-headers", at: scene.now, key, headers });
    const kept = await scene.store.reader.urlGroups.get(key);
    assert.deepEqual(kept, set);
    assert.deepEqual(kept, {
      ...key,
      endpoints: [{ url: "https://2.test" }, { url: "https://1.test" }],
      headers: [["Svc-Retries", "7"]],
      createdAt: scene.now - 5,
      updatedAt: scene.now,
    });
    const names = (await scene.store.reader.urlGroups.list("account")).map(({ name }) => name);
    assert.deepEqual(names, ["a", "b"]);
  });

  promise("belong to their account", async (scene) => {
    await scene.addAccount("account");
    await scene.addAccount("other");
    await put(scene, "a", ["https://mine.test"]);
    await put(scene, "a", ["https://theirs.test"], "other");
    await scene.act({ rule: "remove-url-group", key: { accountId: "account", name: "a" } });
    assert.equal(await urlsOf(scene, "a"), undefined);
    assert.deepEqual(await urlsOf(scene, "a", "other"), ["https://theirs.test"]);
    assert.deepEqual(await scene.store.reader.urlGroups.list("account"), []);
  });

  promise("endpoints added at once are all there, unless they are too many", async (scene) => {
    await scene.addAccount("account");
    const answers = await Promise.all(
      [1, 2, 3].map((number) => put(scene, "a", [`https://${number}.test`])),
    );
    assert.equal(answers.filter((answer) => "quota" in answer).length, 1);
    assert.equal((await urlsOf(scene, "a"))?.length, 2);
  });

  promise("groups made at once never come to more than the limit", async (scene) => {
    await scene.addAccount("account");
    const names = ["a", "b", "c", "d", "e", "f"];
    const answers = await Promise.all(names.map((name) => put(scene, name, ["https://x.test"])));
    const refused = answers.filter((answer) => "quota" in answer);
    assert.deepEqual(
      refused,
      Array.from({ length: 3 }, () => ({ quota: "maxTopics", limit: 3 })),
    );
    const made = await scene.store.reader.urlGroups.list("account");
    assert.equal(made.length, 3);
    const gone = { accountId: "account", name: made[0]?.name ?? "" };
    await scene.act({ rule: "remove-url-group", key: gone });
    assert.ok("name" in (await put(scene, "z", ["https://x.test"])));
  });

  promise("a group that lost its last endpoint is gone", async (scene) => {
    await scene.addAccount("account");
    const key = { accountId: "account", name: "a" };
    await put(scene, "a", ["https://1.test", "https://2.test"]);
    const remove = (...urls: string[]) =>
      scene.act({
        rule: "remove-endpoints",
        at: scene.now,
        key,
        endpoints: urls.map((url) => ({ url })),
      });
    assert.equal(await remove("https://1.test"), "removed");
    assert.deepEqual(await urlsOf(scene, "a"), ["https://2.test"]);
    assert.equal(await remove("https://2.test"), "removed");
    assert.equal(await scene.store.reader.urlGroups.get(key), null);
    assert.equal(await remove("https://2.test"), "missing");
  });
});
