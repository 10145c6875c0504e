/** The overview of an account: one answer in place of many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Item } from "../support/account-calls.ts";
import { journeys } from "../support/journeys.ts";

interface Host {
  readonly stats: Item;
  readonly hours: readonly { readonly attempts: number }[];
  readonly lastError: Item;
}

journeys("the overview", {}, (journey) => {
  test("the overview is what the other calls say, in one answer", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/down" ? 503 : 200, body: '{"a":1}' });
    const failed = await service.publish(`${destination.url}/down`, { "Svc-Retries": "0" });
    await service.logUntil(failed, "FAILED");
    await service.post("/v2/queues", { queueName: "still", paused: true });
    const get = async (path: string): Promise<Item> => (await service.call("GET", path)).json;
    const overview = await get("/v2/overview?step=hour");
    assert.deepEqual(Object.keys(overview).toSorted(), [
      "hosts",
      "parallelism",
      "queues",
      "stats",
      "waiting",
    ]);
    const { points } = overview["stats"] as { points: Item[] };
    const series = (await get("/v2/stats?step=hour"))["points"] as Item[];
    assert.deepEqual(points.at(-1)?.["failedAttempts"], series.at(-1)?.["failedAttempts"]);
    assert.deepEqual(overview["waiting"], await get("/v2/waiting"));
    assert.deepEqual(overview["parallelism"], await get("/v2/globalParallelism"));
    assert.ok(((overview["queues"] as Item)["paused"] as number) >= 1);
    const { host } = new URL(destination.url);
    const { hosts } = overview["hosts"] as { hosts: Host[] };
    const shown = hosts.find(({ stats }) => stats["host"] === host)!;
    const listed = (await service.list("/v2/hosts", "hosts")).find((each) => each["host"] === host);
    assert.deepEqual(shown.stats, listed);
    const { lastError } = shown;
    assert.deepEqual([lastError["messageId"], lastError["responseStatus"]], [failed, 503]);
    const hours = shown.hours.reduce((sum, each) => sum + each.attempts, 0);
    assert.equal(hours, shown.stats["attempts"]);
    assert.equal((await service.call("GET", "/v2/overview?step=year")).status, 400);
  });
});
