/** What an account sees of itself with its token, and what the operator sees of the nodes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { VERSION } from "../../src/config/version.ts";
import { freshAccount } from "../support/console-call.ts";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

journeys("an account's own record", {}, (journey) => {
  test("shows no secret, what the token may do, and how much is used", async () => {
    const { url } = journey.service;
    const account = await freshAccount(url, { plan_name: "free" });
    await account.post("/v2/queues", { queueName: "own", parallelism: 1 });
    await account.publish("https://example.com/later", { "Svc-Delay": "1h" });
    const json = await account.get("/v2/account");
    assert.equal(json["id"], account.id);
    assert.deepEqual([json["token"], json["password"], json["access"]], ["", "", "full"]);
    const usage = (json["usage"] as Item[]).map(({ limit, used, max }) => [limit, used, max]);
    assert.deepEqual(usage, [
      ["max_requests_per_day", 1, 1_000],
      ["max_requests_per_day_hard", 1, 1_000],
      ["max_global_parallelism", 0, 10],
      ["max_queues", 1, 10],
      ["max_topics", 0, 1],
      ["max_schedules", 0, 10],
      ["max_dlq_size", 0, 1_000_000],
    ]);
    const token = account.record["read_only_token"] as string;
    const seen = await account.call("GET", "/v2/account", { token });
    assert.equal(seen.json["access"], "read-only");
  });

  test("its tokens are rotated with the token, at once or after a while", async () => {
    const { url } = journey.service;
    const { token, record } = await freshAccount(url);
    const rotate = (path: string, by: string) => call(url, "POST", path, { token: by });
    const readOnly = record["read_only_token"] as string;
    assert.equal((await rotate("/v2/account/rotate-token", readOnly)).status, 403);
    assert.equal((await rotate("/v2/account/rotate-token?grace=soon", token)).status, 400);
    const first = await rotate("/v2/account/rotate-token?grace=10m", token);
    assert.equal(first.status, 200);
    assert.equal(first.headers["cache-control"], "no-store");
    const second = first.json["token"] as string;
    for (const good of [token, second]) {
      assert.equal((await call(url, "GET", "/v2/queues", { token: good })).status, 200);
    }
    const third = (await rotate("/v2/account/rotate-token", second)).json["token"] as string;
    assert.equal((await call(url, "GET", "/v2/queues", { token: third })).status, 200);
    assert.equal((await call(url, "GET", "/v2/queues", { token: second })).status, 401);
  });
});

journeys("nodes", {}, (journey) => {
  test("are listed for the operator alone", async () => {
    const { url } = journey.service;
    const { json } = await journey.service.console("GET", "/v2/svc/nodes");
    const [node, ...others] = json["nodes"] as Item[];
    assert.deepEqual(others, []);
    assert.match(String(node?.["nodeId"]), /^node_/);
    assert.equal(node?.["version"], VERSION);
    assert.deepEqual([node["live"], node["paused"]], [true, false]);
    assert.deepEqual([node["slotsUsed"], node["slotsMax"]], [0, 2_048]);
    assert.ok(Number(node["silentMs"]) >= 0);
    assert.ok(Number(node["startedAt"]) <= Date.now());
    assert.ok(Number(node["silentMs"]) < Number(node["startedAt"]));
    const { as } = await freshAccount(url);
    const refused = await journey.service.console("GET", "/v2/svc/nodes", { as });
    assert.equal(refused.status, 403);
  });
});
