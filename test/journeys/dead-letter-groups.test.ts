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
    const { firstAt, lastAt, hours, ...first } = found[0]!;
    const counted = hours as { at: number; count: number }[];
    assert.equal(
      counted.reduce((sum, { count }) => sum + count, 0),
      2,
    );
    assert.ok(counted.every(({ at }) => at % 3_600_000 === 0 && at <= Number(lastAt)));
    assert.deepEqual(first, {
      responseStatus: 503,
      cause: "status 503",
      count: 2,
      attempts: 2,
    });
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

  test("hosts are counted with their attempts, and name a filter of each", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 503 });
    const other = destination.url.replace("127.0.0.1", "localhost");
    const headers = { "Svc-Retries": "1", "Svc-Retry-Delay": "10", "Svc-Label": "by-host" };
    for (const url of [`${other}/a`, `${other}/b?x=1`]) await service.publish(url, headers);
    const { host } = new URL(other);
    const found = await eventually(async () => {
      const hosts = await service.list("/v2/dlq/hosts", "hosts");
      const row = hosts.find((each) => each["host"] === host);
      return row?.["count"] === 2 ? row : null;
    }, "the host");
    const { attempts, firstAt, lastAt, hours } = found;
    assert.equal(attempts, 4);
    assert.ok(Number(firstAt) <= Number(lastAt));
    assert.equal(
      (hours as { count: number }[]).reduce((sum, { count }) => sum + count, 0),
      2,
    );
    const letters = await service.deadLetters(`host=${host}`);
    assert.deepEqual(
      letters.map((letter) => [new URL(String(letter["url"])).pathname, letter["attempts"]]),
      [
        ["/b", 2],
        ["/a", 2],
      ],
    );
    const { json } = await service.call("DELETE", `/v2/dlq?host=${host}`);
    assert.equal(json["deleted"], 2);
    assert.deepEqual(await service.list("/v2/dlq/hosts?source=workflow", "hosts"), []);
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
    const [host] = await service.list("/v2/dlq/hosts?source=workflow", "hosts");
    assert.deepEqual([host?.["host"], host?.["count"]], [new URL(destination.url).host, 2]);
    const ofHost = `/v2/workflows/dlq?host=${String(host?.["host"])}`;
    assert.equal((await service.list(ofHost, "messages")).length, 2);
    assert.deepEqual(await service.list("/v2/workflows/dlq?host=a.test", "messages"), []);
    const removed = await service.call("DELETE", `/v2/workflows/dlq?error=${error}`);
    assert.equal(removed.json["deleted"], 2);
  });

  test("runs that failed with unrelated errors are apart, and those alike together", async () => {
    const { service, destination } = journey;
    const errors = [
      ["TypeError", "Cannot read properties of undefined (reading 'price')"],
      ["CardDeclined", "customer cus_9s6XKz, order 17"],
      ["CardDeclined", "customer cus_1AbC, order 4711"],
      ["Timeout", "no answer in 3012ms"],
    ];
    for (const [index, [error, message]] of errors.entries()) {
      const body = JSON.stringify({ error, message, stack: `${error}: at line ${index}` });
      destination.respond = () => ({ status: 500, body });
      const runId = await service.trigger(`${destination.url}/fails`, NO_RETRY);
      await service.failedRun(runId);
    }
    const found = await groups("?source=workflow");
    assert.deepEqual(
      new Set(
        found.map(({ responseStatus, cause, count }) => [responseStatus, count, cause].join(" ")),
      ),
      new Set([
        "500 2 CardDeclined: customer cus_<id>, order <n>",
        "500 1 Timeout: no answer in <n>ms",
        "500 1 TypeError: Cannot read properties of undefined (reading 'price')",
      ]),
    );
    for (const { responseStatus, cause, count } of found) {
      const query = new URLSearchParams({
        responseStatus: String(responseStatus),
        cause: String(cause),
      }).toString();
      const runs = await service.list(`/v2/workflows/dlq?${query}`, "messages");
      assert.equal(runs.length, count, String(cause));
      assert.ok(runs.every((run) => run["cause"] === cause));
      const removed = await service.call("DELETE", `/v2/workflows/dlq?${query}`);
      assert.equal(removed.json["deleted"], count);
    }
    assert.deepEqual(await groups("?source=workflow"), []);
  });

  test("a group of messages is opened by its status and cause alone", async () => {
    const { service, destination } = journey;
    const bodies: Record<string, [status: number, body: string]> = {
      "/stock-1": [409, '{"message":"item 7 is sold out"}'],
      "/stock-2": [409, '{"message":"item 8 is sold out"}'],
      "/closed": [409, '{"error":{"message":"the shop is closed"}}'],
      "/page": [409, "<html>conflict</html>"],
    };
    destination.respond = ({ url }) => {
      const [status, body] = bodies[url]!;
      return { status, body };
    };
    for (const path of Object.keys(bodies)) {
      await service.publish(`${destination.url}${path}`, { ...NO_RETRY, "Upstash-Label": "shop" });
    }
    await eventually(
      async () => (await service.deadLetters("label=shop")).length === 4 || null,
      "four dead letters",
    );
    const paths = async (cause: string): Promise<string[]> => {
      const query = `responseStatus=409&cause=${encodeURIComponent(cause)}`;
      const letters = await service.deadLetters(query);
      return letters.map(({ url }) => new URL(String(url)).pathname).toSorted();
    };
    assert.deepEqual(await paths("item <n> is sold out"), ["/stock-1", "/stock-2"]);
    assert.deepEqual(await paths("the shop is closed"), ["/closed"]);
    assert.deepEqual(await paths("status 409"), ["/page"]);
    const counts = (await groups()).map(({ cause, count }) => [cause, count]);
    assert.deepEqual(
      counts.find(([cause]) => cause === "item <n> is sold out"),
      ["item <n> is sold out", 2],
    );
    await service.call("DELETE", "/v2/dlq?label=shop");
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
