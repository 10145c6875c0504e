/** A database that is gone, or hears and never answers: what publishers, readers and the log are told. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type CuttingProxy, startCuttingProxy } from "../contract/postgres/cutting-proxy.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { LeapingClock } from "../../src/platform/leaping-clock.ts";
import { DestinationServer, type Received, type Reply } from "../support/destination-server.ts";
import type { CallAnswer } from "../support/http-call.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { until } from "../support/eventually.ts";
import { assertAway, inTime } from "../support/outages.ts";
import { TestService } from "../support/service-harness.ts";

const skip = postgresMissing();
/** Longer than it takes to declare a silent node dead. */
const SILENT_MS = 25_000;

interface Stage {
  readonly service: TestService;
  readonly proxy: CuttingProxy;
  readonly destination: DestinationServer;
}

async function stage(context: TestContext, clock?: LeapingClock): Promise<Stage> {
  const database = await freshDatabase();
  const proxy = await startCuttingProxy(database.url);
  const destination = await DestinationServer.start();
  const service = await TestService.start({
    flags: { databaseUrl: proxy.url },
    ...(clock !== undefined && { clock }),
  });
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

test(
  "steps that replied while the database was silent for longer than a lease are not called again",
  { skip },
  async (t) => {
    const clock = new LeapingClock(systemClock);
    const scene = await stage(t, clock);
    const { service, proxy, destination } = scene;
    const { promise: letGo, resolve: answer } = Promise.withResolvers<void>();
    destination.respond = (request) => ({ ...replyTo(request), until: letGo });
    const runs = ["/one", "/two", "/three", "/four", "/five", "/six"];
    for (const path of runs) {
      const { status, text } = await service.call("POST", `/v2/trigger/${destination.url}${path}`);
      assert.equal(status, 200, text);
    }
    for (const path of runs) await destination.received(path);
    proxy.freeze();
    await outageIsTold(scene);
    clock.leap(SILENT_MS);
    answer();
    // The answers of the endpoint have come in when these calls are answered.
    for (let call = 0; call < 10; call++) await assertAway(service.call("GET", "/readyz"));
    proxy.thaw();
    // The first delivery, and one for each of two steps.
    for (const path of runs) await destination.received(path, 3);
    await until(async () => (await endedRuns(scene)) === runs.length, "every run has ended");
    for (const path of runs) assert.equal(destination.to(path).length, 3, path);
  },
);

async function endedRuns({ service }: Stage): Promise<number> {
  const { json } = await service.call("GET", "/v2/workflows/logs?state=RUN_SUCCESS");
  return ((json["runs"] ?? []) as unknown[]).length;
}

/** Two steps and the end, in the replies of an endpoint. */
function replyTo({ body }: Received): Reply {
  const headers = { "Svc-Workflow-Sdk-Version": "1", "Svc-Workflow-Reply": "1" };
  const done = entriesIn(body) - 1;
  const step = { stepId: done + 1, stepName: `step ${done}`, stepType: "Run", concurrent: 1 };
  const reply = done === 2 ? { result: "1" } : { steps: [JSON.stringify(step)] };
  return { headers, body: JSON.stringify(reply) };
}

/** The body of a step is the list of the run's entries; that of the first delivery is its payload. */
function entriesIn(body: Buffer): number {
  return body.length === 0 ? 1 : (JSON.parse(body.toString()) as unknown[]).length;
}
