/** A database that is gone, or hears and never answers: what publishers, readers and the log are told. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type CuttingProxy, startCuttingProxy } from "../contract/postgres/cutting-proxy.ts";
import { DestinationServer } from "../support/destination-server.ts";
import type { CallAnswer } from "../support/http-call.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { until } from "../support/eventually.ts";
import { assertAway, inTime } from "../support/outages.ts";
import { TestService } from "../support/service-harness.ts";

const skip = postgresMissing();

interface Stage {
  readonly service: TestService;
  readonly proxy: CuttingProxy;
  readonly destination: DestinationServer;
}

async function stage(context: TestContext): Promise<Stage> {
  const database = await freshDatabase();
  const proxy = await startCuttingProxy(database.url);
  const destination = await DestinationServer.start();
  const service = await TestService.start({ flags: { databaseUrl: proxy.url } });
  context.after(async () => {
    await service.stop();
    await destination.close();
    await proxy.close();
    await database.drop();
  });
  return { service, proxy, destination };
}

async function published({ service, destination }: Stage, path: string): Promise<void> {
  const url = `/v2/publish/${destination.url}${path}`;
  await until(
    async () => (await inTime(service.call("POST", url))).status === 200,
    "a publish is stored again",
  );
  await destination.received(path);
}

async function outageIsTold({ service: { logged } }: Stage): Promise<void> {
  await until(() => logged.some((line) => line.startsWith("PostgreSQL")), "the log tells of it");
}

/** The outage is told twice, and nothing that failed because of it is told at all. */
function assertToldOnce({ service: { logged } }: Stage, cause: RegExp): void {
  const told = logged.filter((line) => !/^(attempt|the store may lose)/.test(line));
  assert.equal(told.length, 2, told.join("\n"));
  assert.match(told[0]!, /^PostgreSQL does not answer/);
  assert.match(told[0]!, cause);
  assert.match(told[1]!, /^PostgreSQL is back/);
}

test(
  "while the database hears and never answers, callers are told soon, and then at once",
  { skip },
  async (t) => {
    const scene = await stage(t);
    const { service, proxy, destination } = scene;
    await published(scene, "/before");
    const publish = (): Promise<CallAnswer> =>
      service.call("POST", `/v2/publish/${destination.url}/meanwhile`);
    proxy.freeze();
    await assertAway(publish());
    await outageIsTold(scene);
    const mostOpen = proxy.countOpen();
    await Promise.all([
      ...Array.from({ length: 10 }, () => assertAway(publish())),
      assertAway(service.call("GET", "/v2/logs")),
      assertAway(service.call("GET", "/v2/queues", { token: "a-token-not-seen-before" })),
    ]);
    // The probe has one open, and perhaps the last one still closes; callers that ask would have more.
    const most = mostOpen();
    assert.ok(most <= 2, `${most} connections were open at a time: callers asked the database`);
    proxy.thaw();
    await published(scene, "/afterwards");
    assertToldOnce(scene, /no answer in time/);
  },
);

test("while the database is gone, callers are told at once", { skip }, async (t) => {
  const scene = await stage(t);
  const { service, proxy, destination } = scene;
  await published(scene, "/before");
  proxy.shut();
  await assertAway(service.call("POST", `/v2/publish/${destination.url}/meanwhile`));
  await assertAway(service.call("GET", "/v2/logs"));
  await outageIsTold(scene);
  await proxy.reopen();
  await published(scene, "/afterwards");
  assertToldOnce(scene, /ECONNREFUSED|ECONNRESET|terminated/);
});

test("connections that have become silent are given up for new ones", { skip }, async (t) => {
  const scene = await stage(t);
  const { service, proxy, destination } = scene;
  await published(scene, "/before");
  proxy.swallow();
  await inTime(service.call("POST", `/v2/publish/${destination.url}/first`));
  await published(scene, "/afterwards");
});

test(
  "what was under way when the database fell silent is recorded when it is back",
  { skip },
  async (t) => {
    const scene = await stage(t);
    const { service, proxy, destination } = scene;
    const answer = destination.hold();
    const id = await service.publish(`${destination.url}/held`);
    await destination.received("/held");
    proxy.freeze();
    answer();
    await outageIsTold(scene);
    proxy.thaw();
    await until(
      async () => (await service.status("GET", "/v2/queues")) === 200,
      "the database answers",
    );
    await service.logUntil(id, "DELIVERED");
    assert.equal(destination.to("/held").length, 1, "it was not sent again");
  },
);
