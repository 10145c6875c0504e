/** The clock of dev, which a person puts forward: everything that waits follows it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEV_BOUNDS } from "../../src/operations/virtual-clock.ts";
import { type Context, Receiver, serve } from "../../sdk/src/sdk.ts";
import type { ClockLeap } from "../../sdk/src/answers/dev.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { call } from "../support/http-call.ts";
import { until } from "../support/eventually.ts";
import { journeys } from "../support/journeys.ts";
import { migratedDatabase, postgresMissing } from "../support/postgres-url.ts";
import { OTHER_TOKEN, TestService } from "../support/service-harness.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { WorkflowEndpoint } from "../support/workflow-endpoint.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Puts the clock of a service forward, and requires that all that came due is done. */
async function advance(service: TestService, duration: string): Promise<ClockLeap> {
  const leap = (await service.post("/dev/clock", { advance: duration })) as unknown as ClockLeap;
  assert.equal(leap.isSettled, true);
  return leap;
}

function schedule(service: TestService, url: string, cron: string, id: string): Promise<unknown> {
  const headers = { "Svc-Cron": cron, "Svc-Schedule-Id": id };
  return service.call("POST", `/v2/schedules/${url}`, { headers });
}

async function sleepy(context: Context): Promise<unknown> {
  await context.sleep("first", "1d");
  await context.run("work", () => 1);
  await context.sleep("second", "1d");
  return (await context.waitForEvent("wait", "never", { timeout: "3d" })).timeout;
}

journeys("the clock of dev", {}, (journey) => {
  test("it shows the time of the machine until it is put forward", async () => {
    const { service } = journey;
    const before = await service.get("/dev/clock");
    assert.equal(before["aheadMs"], 0);
    assert.ok(Math.abs(Number(before["now"]) - Date.now()) < HOUR_MS);
    const leap = await advance(service, "1d");
    assert.equal(leap.advancedMs, DAY_MS);
    assert.equal(leap.aheadMs, DAY_MS);
    const answer = await service.call("GET", "/dev/clock");
    assert.equal(answer.json["aheadMs"], DAY_MS);
    const shownAt = Date.parse(String(answer.headers["date"]));
    assert.ok(Math.abs(shownAt - Number(answer.json["now"])) < HOUR_MS, "answers are dated by it");
  });

  test("delays and retries come at their times, one after the other", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => (url === "/fails" ? { status: 500 } : {});
    await service.publish(`${destination.url}/delayed`, { "Svc-Delay": "2d" });
    const retries = { "Svc-Retries": "3", "Svc-Retry-Delay": "3600000 * (1 + retried)" };
    const failing = await service.publish(`${destination.url}/fails`, retries);
    await advance(service, "1d23h");
    assert.equal(destination.to("/delayed").length, 0);
    assert.equal(destination.to("/fails").length, 4);
    await advance(service, "2h");
    assert.equal(destination.to("/delayed").length, 1);
    const log = await service.log(failing);
    const tries = log.filter(({ state }) => state === "ERROR" || state === "FAILED");
    const times = tries.map(({ time }) => Math.round(Number(time) / HOUR_MS));
    assert.deepEqual(
      times.map((hour) => hour - times[0]!),
      [0, 1, 3, 6, 6].slice(0, times.length),
    );
  });

  test("a schedule fires at each of its times, and the clock moves up to the next", async () => {
    const { service, destination } = journey;
    await schedule(service, `${destination.url}/daily`, "0 9 * * *", "daily");
    await advance(service, "7d");
    assert.equal(destination.to("/daily").length, 7);
    const { nextScheduleTime } = await service.get("/v2/schedules/daily");
    const leap = await service.post("/dev/clock", { schedule: "daily" });
    assert.ok(Number(leap["now"]) >= Number(nextScheduleTime));
    assert.ok(Number(leap["now"]) < Number(nextScheduleTime) + HOUR_MS);
    assert.equal(destination.to("/daily").length, 8);
    await service.call("POST", "/v2/schedules/daily/pause");
    await service.refused("POST /dev/clock", 400, /^schedule: is paused$/, {
      body: '{"schedule":"daily"}',
    });
    await service.call("DELETE", "/v2/schedules/daily");
    await service.refused("POST /dev/clock", 404, /daily not found/, {
      body: '{"schedule":"daily"}',
    });
  });

  test("a long leap does not flood: ticks between are missed, as after a downtime", async () => {
    const { service, destination } = journey;
    await schedule(service, `${destination.url}/minutely`, "* * * * *", "minutely");
    const startedAt = performance.now();
    await advance(service, "30d");
    // A machine that is too busy for all stops of a leap makes fewer of them.
    const isWhole = performance.now() - startedAt < DEV_BOUNDS.leapMsMax;
    const { skipped } = await service.get("/v2/schedules/minutely");
    await service.call("DELETE", "/v2/schedules/minutely");
    const fired = destination.to("/minutely").length;
    assert.ok(fired >= (isWhole ? 99 : 2) && fired <= 102, `${fired} ticks`);
    assert.ok((skipped as { count: number }).count > 400, JSON.stringify(skipped));
  });

  test("rate windows follow it", async () => {
    const { service, destination } = journey;
    const key = { "Svc-Flow-Control-Key": "hourly", "Svc-Flow-Control-Value": "rate=1,period=1h" };
    for (let nth = 0; nth < 3; nth++) await service.publish(`${destination.url}/rated`, key);
    await destination.received("/rated");
    await advance(service, "30m");
    assert.equal(destination.to("/rated").length, 1);
    await advance(service, "2h");
    assert.equal(destination.to("/rated").length, 3);
  });

  test("an attempt that is under way ends once, by the machine's clock", async () => {
    const { service, destination } = journey;
    const open = destination.hold(({ url }) => url === "/held");
    const id = await service.publish(`${destination.url}/held`, { "Svc-Timeout": "60s" });
    await destination.received("/held");
    const leap = await service.post("/dev/clock", { advance: "2d" });
    assert.equal(leap["isSettled"], false);
    assert.deepEqual((await service.message(id))["state"] ?? "ACTIVE", "ACTIVE");
    open();
    const states = await service.statesUntil(id, "DELIVERED");
    assert.deepEqual(states, ["CREATED", "ACTIVE", "DELIVERED"]);
    await advance(service, "1h");
    assert.equal(destination.to("/held").length, 1);
  });

  test("sleeps and waits of runs follow it, and signatures do not", async (t) => {
    const { service } = journey;
    const endpoint = await WorkflowEndpoint.start();
    t.after(() => endpoint.close());
    const { url: baseUrl, token } = service;
    const receiver = new Receiver(service.credentials);
    const url = endpoint.serve("/order", serve(sleepy, { client: { baseUrl, token }, receiver }));
    const runId = await service.trigger(url);
    const stateOf = async (): Promise<unknown> => {
      const [run] = await service.list(`/v2/workflows/logs?workflowRunId=${runId}`, "runs");
      return run?.["workflowState"];
    };
    await advance(service, "4d");
    assert.equal(await stateOf(), "RUN_STARTED");
    await advance(service, "1d1m");
    assert.equal(await stateOf(), "RUN_SUCCESS");
  });

  test("what is kept for a time goes when that has passed", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const id = await service.publish(`${destination.url}/kept`);
    await service.logUntil(id, "DELIVERED");
    await advance(service, "400d");
    await until(async () => (await service.log(id)).length === 0, "the log is gone");
  });

  test("it goes only forward, and not too far", async () => {
    const { service } = journey;
    const refused = (body: unknown, status: number, says: RegExp): Promise<unknown> =>
      service.refused("POST /dev/clock", status, says, { body: JSON.stringify(body) });
    await refused({ advance: "365000d" }, 400, /^advance: is longer than 100 years$/);
    await refused({ advance: "30000d" }, 400, /^advance: the clock would be more than 3650d ahead/);
    await refused({ advance: "-1d" }, 400, /^advance: is not a duration/);
    await refused({ advance: 5 }, 400, /^advance: must be a duration such as "2d"$/);
    await refused({}, 400, /^advance: must be given, or schedule$/);
    await refused({ advance: "1d", schedule: "x" }, 400, /^schedule: cannot be given together/);
    await refused({ back: "1d" }, 400, /back/);
    const before = await service.get("/dev/clock");
    await advance(service, "0s");
    const after = await service.get("/dev/clock");
    assert.equal(after["aheadMs"], before["aheadMs"]);
  });
});

test("it needs the token, and a read-only one may only look", async (t) => {
  const service = await TestService.startFor(t);
  assert.equal(await service.status("GET", "/dev/clock", { token: "wrong" }), 401);
  assert.equal(await service.status("POST", "/dev/clock", { token: "wrong" }), 401);
  const token = service.credentials.readOnlyToken;
  assert.equal(await service.status("GET", "/dev/clock", { token }), 200);
  const body = '{"advance":"1d"}';
  await service.refused("POST /dev/clock", 403, /read-only/, { token, body });
});

test("serve has no such clock", async (t) => {
  const flags = { token: "a-token-of-our-own-for-this-test" };
  const service = await TestService.startFor(t, { mode: "serve", flags });
  for (const method of ["GET", "POST"]) {
    for (const token of [flags.token, "wrong"]) {
      assert.equal((await call(service.url, method, "/dev/clock", { token })).status, 404, method);
    }
  }
});

test("a restart forgets it; what was stored loses nothing and waits no longer than it said", async (t) => {
  const folder = freshFolder(t);
  const destination = await DestinationServer.startFor(t);
  let service = await TestService.start({ folder });
  await advance(service, "3d");
  await service.publish(`${destination.url}/later`, { "Svc-Delay": "2h" });
  await service.stop();
  service = await TestService.startFor(t, { folder });
  const clock = await service.get("/dev/clock");
  assert.equal(clock["aheadMs"], 0);
  assert.ok(Math.abs(Number(clock["now"]) - Date.now()) < HOUR_MS);
  assert.ok(service.service.clock.time().aheadMs > 2 * DAY_MS, "it knows what was stored ahead");
  await advance(service, "1h");
  assert.equal(destination.to("/later").length, 0);
  await advance(service, "61m");
  assert.equal(destination.to("/later").length, 1);
});

describe("several nodes", { skip: postgresMissing() }, () => {
  test("it does not move while more than one node uses the database", async (t) => {
    const database = await migratedDatabase();
    t.after(() => database.drop());
    const flags = { databaseUrl: database.url };
    const folder = freshFolder(t);
    const one = await TestService.startFor(t, { flags, folder });
    const other = await TestService.start({ flags, folder });
    const body = '{"advance":"1d"}';
    const { json } = await one.refused("POST /dev/clock", 409, /and 2 do$/, { body });
    assert.equal(json["hint"], "stop the other nodes");
    await other.stop();
    await advance(one, "1d");
  });
});

test("a schedule of another account is as if it did not exist", async (t) => {
  const service = await TestService.startFor(t);
  await schedule(service, "https://example.com", "0 9 * * *", "theirs");
  const body = '{"schedule":"theirs"}';
  const token = OTHER_TOKEN;
  await service.refused("POST /dev/clock", 404, /^schedule theirs not found$/, { token, body });
});
