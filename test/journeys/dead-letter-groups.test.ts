/** Dead letters by their last error, to act on all of one kind. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";

const NO_RETRY = { "Upstash-Retries": "0" };

journeys("groups of dead letters", {}, (journey) => {
  const groups = (query = ""): Promise<Item[]> =>
    journey.service.list(`/v2/dlq/groups${query}`, "groups");

  test("groups count what failed alike, and name a filter for each", async () => {
    const { service, destination } = journey;
    assert.deepEqual(await groups(), []);
    destination.respond = ({ url }) => ({ status: url.startsWith("/busy") ? 503 : 404 });
    const before = Date.now();
    for (const path of ["/busy-1", "/busy-2", "/missing"]) {
      await service.publish(`${destination.url}${path}`, NO_RETRY);
    }
    await service.publish("http://127.0.0.1:1/refused", NO_RETRY);
    const found = await eventually(async () => {
      const read = await groups();
      return read.length === 3 ? read : null;
    }, "three groups");
    const { firstAt, lastAt, ...first } = found[0]!;
    assert.deepEqual(first, { responseStatus: 503, count: 2 });
    assert.ok(Number(firstAt) >= before - 1_000 && Number(firstAt) <= Number(lastAt));
    const refused = found.find(({ responseStatus }) => responseStatus === 0);
    assert.equal(refused?.["count"], 1);
    const error = encodeURIComponent(String(refused["error"]));
    const urls = (await service.deadLetters(`error=${error}`)).map(({ url }) => url);
    assert.deepEqual(urls, ["http://127.0.0.1:1/refused"]);
    const removed = await service.call("DELETE", `/v2/dlq?error=${error}`);
    assert.equal(removed.json["deleted"], 1);
    assert.equal((await groups()).length, 2);
  });

  test("groups of failed runs name a filter of failed runs", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 200, body: "no workflow" });
    for (const path of ["/plain-1", "/plain-2"]) {
      await service.trigger(`${destination.url}${path}`, NO_RETRY);
    }
    const [group] = await eventually(async () => {
      const found = await groups("?source=workflow");
      return found[0]?.["count"] === 2 ? found : null;
    }, "a group of runs");
    const error = encodeURIComponent(String(group!["error"]));
    assert.deepEqual(await service.list("/v2/workflows/dlq?error=another", "messages"), []);
    const removed = await service.call("DELETE", `/v2/workflows/dlq?error=${error}`);
    assert.equal(removed.json["deleted"], 2);
  });

  test("groups of messages and of failed runs are apart, and other filters are refused", async () => {
    const { service } = journey;
    assert.equal((await groups()).length, 2);
    assert.deepEqual(await groups("?source=workflow"), []);
    for (const query of ["source=other", "label=x"]) {
      assert.equal(await service.status("GET", `/v2/dlq/groups?${query}`), 400, query);
    }
  });
});
