/** A clock that is set while the service runs. */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { journeys } from "../support/journeys.ts";
import { until } from "../support/eventually.ts";
import { SteppedClock } from "../support/stepped-clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const clock = new SteppedClock({ after });

journeys("a clock that is set", { clock }, (journey) => {
  const enqueue = (queue: string, path: string): Promise<string> =>
    journey.service.enqueue(queue, `${journey.destination.url}${path}`);
  /** How far the clock stepped each time, as the log has it. */
  const stepsLogged = (): number[] =>
    journey.service.logged.flatMap((line) => {
      const found = /^the clock stepped (back|forward) (\d+)$/.exec(line);
      return found ? [(found[1] === "back" ? -1 : 1) * Math.round(Number(found[2]) / 1_000)] : [];
    });

  test("a queue keeps its order, and the step is logged once", async () => {
    const { destination } = journey;
    for (const [nth, seconds] of [-1, -60, -3_600].entries()) {
      const queue = `queue${seconds}`;
      const open = destination.hold(({ url }) => url === `/${queue}/a`);
      await enqueue(queue, `/${queue}/a`);
      await destination.received(`/${queue}/a`);
      await enqueue(queue, `/${queue}/b`);
      clock.step(seconds * 1_000);
      await until(() => stepsLogged().length > nth, "a step");
      await enqueue(queue, `/${queue}/c`);
      open();
      await destination.received(`/${queue}/c`);
      const inOrder = [`/${queue}/a`, `/${queue}/b`, `/${queue}/c`];
      assert.deepEqual(destination.order(`/${queue}/`), inOrder);
    }
    assert.deepEqual(stepsLogged(), [-1, -60, -3_600]);
  });

  test("delays and retries that have begun come in time", async () => {
    const { service, destination } = journey;
    const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
    destination.respond = ({ url }, nth) =>
      url === "/retried" && nth === 1 ? { status: 500, until: isOpen } : {};
    await service.publish(`${destination.url}/delayed`, { "Svc-Delay": "2s" });
    await service.publish(`${destination.url}/retried`, { "Svc-Retry-Delay": "1000" });
    await destination.received("/retried");
    clock.step(-HOUR_MS);
    open();
    await destination.received("/delayed");
    await destination.received("/retried", 2);
  });

  test("when waiting ends is told by the clock as it is, before and after a step", async () => {
    const { service } = journey;
    const host = "later.example.com";
    const id = await service.publish(`https://${host}/`, { "Svc-Delay": "3h" });
    const leftMs = async (): Promise<number[]> => {
      const [{ waiting }, rows] = await Promise.all([
        service.message(id) as Promise<{ waiting: { endsAt: number } }>,
        service.list("/v2/waiting", "reasons"),
      ]);
      const row = rows.find(({ line }) => (line as { name: string }).name === host);
      return [waiting.endsAt, Number(row?.["endsAt"])].map((endsAt) => endsAt - clock.now());
    };
    for (const stepMs of [0, -HOUR_MS, -HOUR_MS]) {
      const steps = stepsLogged().length;
      clock.step(stepMs);
      if (stepMs !== 0) await until(() => stepsLogged().length > steps, "a step");
      for (const ms of await leftMs()) {
        assert.ok(Math.abs(ms - 3 * HOUR_MS) < HOUR_MS / 2, `${ms} ms after ${stepMs}`);
      }
    }
  });

  test("schedules and shown times are true again after a jump ahead", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const made = await service.call("POST", `/v2/schedules/${destination.url}/ticks`, {
      headers: { "Svc-Cron": "* * * * *" },
    });
    const path = `/v2/schedules/${String(made.json["scheduleId"])}`;
    const nextAt = async (): Promise<number> =>
      Number((await service.get(path))["nextScheduleTime"]);
    clock.step(DAY_MS);
    await destination.received("/ticks");
    assert.ok((await nextAt()) > clock.now(), "it goes by the clock");
    clock.step(-DAY_MS);
    await until(async () => (await nextAt()) <= clock.now() + 61_000, "a tick");
    const id = await service.publish(`${destination.url}/shown`, { "Svc-Delay": "1s" });
    const message = await service.message(id);
    assert.equal(Number(message["notBefore"]) - Number(message["createdAt"]), 1_000);
    assert.ok(Math.abs(Number(message["createdAt"]) - clock.now()) < HOUR_MS, "it is of our time");
    await destination.received("/shown");
  });
});
