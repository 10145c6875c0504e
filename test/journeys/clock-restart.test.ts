/** A service that is stopped, and started again with its clock behind. */
import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";

import { freshFolder } from "../support/fresh-folder.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { until } from "../support/eventually.ts";
import { type StoreKind, TestService } from "../support/service-harness.ts";
import { SteppedClock } from "../support/stepped-clock.ts";

const HOUR_MS = 3_600_000;
const DELAY_MS = 3_000;
const SCHEDULE = "/v2/schedules/half-past";

for (const store of ["sqlite", "postgres"] as const) {
  const skip = store === "postgres" ? postgresMissing() : false;
  describe(`a restart with the clock behind (${store})`, { skip }, () => {
    test("loses nothing, keeps the order of queues, and makes nothing wait for the clock", async (t) => {
      const { clock, start, stop, destination } = await open(t, store);
      destination.respond = ({ url }, nth) =>
        url === "/retried" && nth === 1 ? { status: 500 } : {};
      let service = await start();
      const retried = await service.publish(`${destination.url}/retried`, {
        "Svc-Retry-Delay": String(DELAY_MS),
      });
      await service.logUntil(retried, "RETRY");
      await service.console("POST", "/v2/svc/pause");
      const publishedAt = performance.now();
      await service.publish(`${destination.url}/delayed`, { "Svc-Delay": "3s" });
      await service.publish(`${destination.url}/plain`);
      const enqueue = (name: string) =>
        service.enqueue("queue", `${destination.url}/queue/${name}`);
      for (const name of ["a", "b", "c"]) await enqueue(name);
      await stop();

      clock.step(-HOUR_MS);
      service = await start();
      await enqueue("d");
      await service.publish(`${destination.url}/newer`);
      assert.equal(destination.requests.length, 1, "it is still paused");
      await service.console("POST", "/v2/svc/resume");
      for (const path of ["/plain", "/newer", "/queue/d"]) await destination.received(path);
      await destination.received("/retried", 2);
      await destination.received("/delayed");
      assert.ok(performance.now() - publishedAt >= DELAY_MS, "the delay is not cut short");
      const inOrder = ["/queue/a", "/queue/b", "/queue/c", "/queue/d"];
      assert.deepEqual(destination.order("/queue/"), inOrder);
      assert.equal(destination.requests.length, 9);
    });

    test("schedules follow the clock, and repeat no tick of the last hour", async (t) => {
      const { clock, start, stop, destination } = await open(t, store);
      // Nothing fires while the test runs: the next tick is half an hour away.
      const minute = (new Date(clock.now()).getUTCMinutes() + 30) % 60;
      let service = await start();
      await service.call("POST", `/v2/schedules/${destination.url}/tick`, {
        headers: { "Svc-Cron": `${minute} * * * *`, "Svc-Schedule-Id": "half-past" },
      });
      const nextAt = async (): Promise<number> =>
        Number((await service.get(SCHEDULE))["nextScheduleTime"]);
      const firstAt = await nextAt();
      await stop();
      clock.step(-HOUR_MS);
      service = await start();
      assert.equal(await nextAt(), firstAt);
      await stop();
      clock.step(-2 * HOUR_MS);
      service = await start();
      await until(
        async () => (await nextAt()) === firstAt - 3 * HOUR_MS,
        "the tick that the clock shows next",
      );
      assert.deepEqual(destination.requests, []);
    });
  });
}

/** A clock, and services that are started one after the other over the same data. */
async function open(t: TestContext, store: StoreKind) {
  const clock = new SteppedClock(t);
  const destination = await DestinationServer.startFor(t);
  const folder = freshFolder(t);
  const database = store === "postgres" ? await freshDatabase() : null;
  const flags: Record<string, string> = database === null ? {} : { databaseUrl: database.url };
  let service: TestService | null = null;
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = null;
  };
  const start = async (): Promise<TestService> => {
    service = await TestService.start({ folder, flags, clock });
    return service;
  };
  t.after(async () => {
    await stop();
    await database?.drop();
    // What the database shows is put right for the next test.
    clock.step(Date.now() - clock.now());
  });
  return { clock, start, stop, destination };
}
