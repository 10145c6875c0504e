/** Dead letters and failed runs that are sent again over a time. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { until } from "../support/eventually.ts";

const HOUR_MS = 3_600_000;
/** More than two pages of the work on many. */
const LETTERS = 250;

journeys("retries over a time", {}, (journey) => {
  const count = async (path: string): Promise<number> =>
    (await journey.service.list(`${path}?count=100`, "messages")).length;

  async function makeLetters(number: number): Promise<void> {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const item = { destination: `${destination.url}/dead`, headers: { "Svc-Retries": "0" } };
    await service.batch(Array.from({ length: number }, () => item));
    await until(async () => {
      const usage = await service.list("/v2/account", "usage");
      return usage.find(({ limit }) => limit === "max_dlq_size")?.["used"] === number;
    }, `${number} dead letters`);
    destination.respond = () => ({});
  }

  /** When the messages that wait are due, earliest first. */
  async function dueTimes(): Promise<number[]> {
    const messages = await journey.service.pages("/v2/messages?count=100", "messages");
    const times = messages.flat().map(({ notBefore }) => notBefore as number);
    return times.toSorted((one, other) => one - other);
  }

  beforeEach(async () => {
    await journey.service.call("DELETE", "/v2/dlq");
    await journey.service.call("DELETE", "/v2/messages");
  });

  test("many are spread evenly, over the pages of the work too", async () => {
    await makeLetters(LETTERS);
    const startAt = Date.now();
    const answer = await journey.service.call("POST", "/v2/dlq/retry?over=10h");
    assert.equal(answer.status, 201, answer.text);
    assert.equal((answer.json["responses"] as Item[]).length, LETTERS);
    const times = await dueTimes();
    // The first goes at once, and may have been delivered.
    assert.ok(times.length >= LETTERS - 1);
    assert.ok(times.at(-1)! < Date.now() + 10 * HOUR_MS);
    const gaps = times.map((at, index) => at - (times[index - 1] ?? startAt));
    const widest = Math.max(...gaps, startAt + 10 * HOUR_MS - times.at(-1)!);
    assert.ok(widest <= (3 * 10 * HOUR_MS) / LETTERS, `${widest}`);
  });

  test("a call that continues from a cursor spreads the rest", async () => {
    await makeLetters(6);
    const { service } = journey;
    const first = await service.call("POST", "/v2/dlq/retry?over=1h&count=3");
    const cursor = encodeURIComponent(first.json["cursor"] as string);
    await service.call("POST", `/v2/dlq/retry?over=1h&cursor=${cursor}`);
    assert.equal(await count("/v2/dlq"), 0);
    const later = (await dueTimes()).filter((at) => at > Date.now() + 60_000);
    assert.equal(later.length, 4);
  });

  test("named ones are spread, after the delay that was asked for", async () => {
    await makeLetters(2);
    const ids = (await journey.service.deadLetters()).map(({ dlqId }) => dlqId as string);
    const headers = { "Svc-Delay": "2h" };
    await journey.service.call("POST", `/v2/dlq/retry?dlqIds=${ids.join()}&over=1h`, { headers });
    const [one, other, ...more] = (await dueTimes()).map((at) => at - Date.now());
    assert.deepEqual(more, []);
    assert.ok(one! > 1.9 * HOUR_MS && one! < 2.1 * HOUR_MS, `${one}`);
    assert.ok(other! > 2.5 * HOUR_MS && other! < 3 * HOUR_MS, `${other}`);
  });

  test("failed runs are restarted over a time", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    for (let run = 0; run < 3; run++) {
      await service.trigger(`${destination.url}/flow`, { "Svc-Retries": "0" });
    }
    await until(async () => (await count("/v2/workflows/dlq")) === 3, "3 runs");
    const answer = await service.call("POST", "/v2/workflows/dlq/restart?over=1h");
    assert.equal((answer.json["workflowRuns"] as Item[]).length, 3);
    const later = (await dueTimes()).filter((at) => at > Date.now() + 60_000);
    assert.equal(later.length, 2);
    // The one that was restarted at once fails again: its letter must not be taken for another test's.
    await until(async () => (await count("/v2/workflows/dlq")) === 1, "1 run");
    await service.call("DELETE", "/v2/workflows/dlq");
  });

  test("a bad time is refused by name, and nothing is sent", async () => {
    await makeLetters(1);
    for (const [path, reason] of [
      ["/v2/dlq/retry?over=soon", /over: /],
      ["/v2/dlq/retry?over=", /over: /],
      ["/v2/dlq/retry?over=25h", /over: is longer than 1d/],
      ["/v2/workflows/dlq/resume?over=-1s", /over: /],
      ["/v2/workflows/dlq/restart?over=2d", /over: /],
    ] as const) {
      await journey.service.refused(`POST ${path}`, 400, reason);
    }
    await journey.service.refused("DELETE /v2/dlq?over=1h", 400, /over/);
    assert.equal(await count("/v2/dlq"), 1);
  });
});
