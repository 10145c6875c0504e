/** Publishing that needs a synchronous standby, so that a failover loses nothing. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { until } from "../support/eventually.ts";
import { call } from "../support/http-call.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { postgresMissing, withClient } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";
import { startStandby, type StandInStandby } from "../support/stand-in-standby.ts";

const NAME = "stand_in";
const PUBLISH = "/v2/publish/http://127.0.0.1:9/";
const DELAYED = { headers: { "Svc-Delay": "1h" }, body: "hello" };

describe("a synchronous standby", { skip: postgresMissing() }, () => {
  let server: PostgresServer;
  let standby: StandInStandby;
  let service: TestService;

  before(async () => {
    // Transactions that did not ask for it would not wait for the standby.
    server = await startPostgres({ settings: ["synchronous_commit=off"] });
    standby = await startStandby(server.url, NAME);
    const flags = {
      databaseUrl: server.url,
      secretKey: "a-secret-key-of-the-cluster",
      requireSynchronousStandby: "true",
    };
    service = await TestService.start({ flags });
  });

  after(async () => {
    await service?.stop();
    await standby?.close();
    await server?.stop();
  });

  const nameStandbys = (names: string) =>
    withClient(server.url, async (client) => {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
      await client.query("SELECT pg_reload_conf()");
    });

  const readiness = () => call(service.url, "GET", "/readyz");

  test("is missing: nothing is accepted, and everything else goes on", async () => {
    const refused = await service.call("POST", PUBLISH, DELAYED);
    assert.equal(refused.status, 503);
    assert.match(String(refused.json["error"]), /no synchronous standby/);
    assert.ok(Number(refused.headers["retry-after"]) > 0);
    for (const path of ["/v2/enqueue/queue/http://127.0.0.1:9/", "/v2/trigger/http://127.0.0.1:9/"])
      assert.equal((await service.call("POST", path, { body: "hello" })).status, 503, path);
    const batch = JSON.stringify([{ destination: "http://127.0.0.1:9/", body: "hello" }]);
    assert.equal((await service.call("POST", "/v2/batch", { body: batch })).status, 503);
    const ready = await readiness();
    assert.equal(ready.status, 503);
    assert.match(ready.text, /no synchronous standby/);
    assert.equal(await service.status("GET", "/v2/logs"), 200);
    const { json } = await service.console("GET", "/v2/svc/nodes");
    assert.equal(json["durability"], "primary");
    assert.match(service.logged.join("\n"), /names no synchronous standby; publishing is refused/);
  });

  test("is there: what is accepted is on the standby", async () => {
    await nameStandbys(NAME);
    await until(async () => (await readiness()).status === 200, "ready with a standby");
    assert.equal((await service.call("POST", PUBLISH, DELAYED)).status, 200);
    const { json } = await service.console("GET", "/v2/svc/nodes");
    assert.equal(json["durability"], "standby");
    standby.pause();
    let isAnswered = false;
    const publishing = service.call("POST", PUBLISH, DELAYED).finally(() => (isAnswered = true));
    await until(isCommitWaiting, "the commit waits for the standby");
    assert.equal(isAnswered, false);
    standby.resume();
    assert.equal((await publishing).status, 200);
  });

  test("is gone again: publishing stops with the next heartbeat", async () => {
    await nameStandbys("");
    await until(async () => (await readiness()).status === 503, "not ready without a standby");
    assert.equal((await service.call("POST", PUBLISH, DELAYED)).status, 503);
    const metrics = await call(service.url, "GET", "/metrics");
    assert.match(metrics.text, /^postrider_standby_missing 1$/m);
  });

  async function isCommitWaiting(): Promise<boolean> {
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    return withClient(server.url, async (client) => (await client.query(waiting)).rows.length > 0);
  }
});
