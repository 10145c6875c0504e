/** A PostgreSQL that takes no writes, as in a failover, is an outage, and its end is noticed. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { DestinationServer } from "../support/destination-server.ts";
import { until } from "../support/eventually.ts";
import { assertAway, inTime } from "../support/outages.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { postgresMissing, withClient } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

const skip = postgresMissing();
const CALLERS = 20;
const ROUNDS = 10;
const READINESS = ["/readyz", "/v2/readiness"];

interface Stage {
  readonly server: PostgresServer;
  readonly service: TestService;
  readonly destination: DestinationServer;
}

async function stage(t: TestContext): Promise<Stage> {
  // As a server has it: a statement outside our transactions does not find our tables.
  const server = await startPostgres({ settings: ["search_path=public"] });
  t.after(() => server.stop());
  const destination = await DestinationServer.startFor(t);
  const service = await TestService.startFor(t, { flags: { databaseUrl: server.url } });
  return { server, service, destination };
}

test("a standby is an outage, and its promotion ends it", { skip }, async (t) => {
  const scene = await stage(t);
  const { server } = scene;
  await publishes(scene, "/before");
  await server.restartAsStandby();
  await isAway(scene);
  await withClient(server.url, (client) => client.query("SELECT pg_promote()"));
  await isBack(scene);
});

test("a primary that was set to be read-only is an outage too", { skip }, async (t) => {
  const scene = await stage(t);
  const { server } = scene;
  await publishes(scene, "/before");
  await setReadOnly(server, "on");
  await isAway(scene);
  await setReadOnly(server, "off");
  await isBack(scene);
});

/** Nothing of the kind is answered but 503, to whoever asks, and the log tells why. */
async function isAway({ service, destination }: Stage): Promise<void> {
  const { logged } = service;
  for (const path of READINESS) await assertAway(service.call("GET", path));
  // A server that restarts is not there at first; what is meant begins with its answers.
  await until(() => logged.some((line) => line.startsWith("PostgreSQL is read-only")), "told");
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: CALLERS }, () =>
      assertAway(service.call("POST", `/v2/publish/${destination.url}/meanwhile`)),
    );
    await Promise.all(calls);
  }
  for (const path of READINESS) await assertAway(service.call("GET", path));
  const told = logged.filter((line) => !/^(attempt|the store may lose)/.test(line));
  assert.ok(told.length <= 2, told.join("\n"));
}

async function isBack(scene: Stage): Promise<void> {
  const { service } = scene;
  await publishes(scene, "/afterwards");
  for (const path of READINESS) assert.equal(await service.status("GET", path), 200);
  assert.ok(service.logged.some((line) => line.startsWith("PostgreSQL is back")));
  assert.ok(!service.logged.some((line) => line.includes("relation")), service.logged.join("\n"));
}

async function publishes({ service, destination }: Stage, path: string): Promise<void> {
  const url = `/v2/publish/${destination.url}${path}`;
  await until(async () => (await inTime(service.call("POST", url))).status === 200, path);
  await destination.received(path);
}

/** As providers do with a server whose disk is nearly full. */
async function setReadOnly({ url }: PostgresServer, value: "on" | "off"): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await client.query("SELECT pg_reload_conf()");
  });
  await until(
    () =>
      withClient(url, async (client) => {
        const { rows } = await client.query<Record<string, string>>("SHOW transaction_read_only");
        return rows[0]!["transaction_read_only"] === value;
      }),
    `new sessions find it ${value}`,
  );
}
