/** Lists of what happened. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

const messagesIn = (entries: readonly Item[]) =>
  [...new Set(entries.map((entry) => entry["messageId"] as string))].toSorted();

journeys("logs", {}, (journey) => {
  const ids: string[] = [];
  const list = (query: string): Promise<Item[]> =>
    journey.service.list(`/v2/logs?${query}`, "logs");
  before(async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) => ({ status: url === "/bad" ? 500 : 200 });
    for (const [path, label] of [
      ["/one", "red"],
      ["/two", "red,blue"],
      ["/bad", "green"],
    ] as const) {
      const headers = { "Svc-Label": label, "Svc-Retries": "0" };
      const messageId = await service.publish(`${destination.url}${path}`, headers, path);
      // One after the other, so that the order of times is the order of entries.
      await service.logUntil(messageId, path === "/bad" ? "FAILED" : "DELIVERED");
      ids.push(messageId);
    }
  });

  test("entries are listed newest first, under both names of the list", async () => {
    const entries = await list("");
    assert.equal(entries.length, 3 + 3 + 4);
    const times = entries.map((entry) => entry["time"] as number);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const { json } = await journey.service.call("GET", "/v2/events");
    assert.deepEqual(json["events"], entries);
    assert.equal(json["cursor"], undefined);
  });

  test("every filter narrows the list, and values of one filter widen it", async () => {
    const { url } = journey.destination;
    const [one, two, bad] = ids as [string, string, string];
    const { host, hostname } = new URL(url);
    const found: Record<string, string[]> = {
      [`messageId=${one}`]: [one],
      [`messageIds=${one},${two}`]: [one, two],
      [`messageIds=${one}&messageIds=${bad}`]: [one, bad],
      "label=red": [one, two],
      "label=blue,green": [two, bad],
      "state=FAILED": [bad],
      "state=DELIVERED": [one, two],
      "state=IN_PROGRESS": [one, two, bad],
      [`url=${encodeURIComponent(`${url}/two`)}`]: [two],
      [`host=${host}`]: [one, two, bad],
      [`host=${hostname}`]: [one, two, bad],
      [`host=${hostname}:1`]: [],
      "host=example.com": [],
      "path=/bad": [bad],
      "callerIp=127.0.0.1": [one, two, bad],
      "callerIp=10.0.0.1": [],
      "queueName=none": [],
      "fromDate=9999999999999": [],
      "toDate=9999999999999": [one, two, bad],
      "label=red&state=DELIVERED&path=/two": [two],
      "label=": [one, two, bad],
      "api=llm&trimBody=1&groupBy=messageId&order=latestFirst": [one, two, bad],
    };
    for (const [query, expected] of Object.entries(found)) {
      assert.deepEqual(messagesIn(await list(query)), expected.toSorted(), query);
    }
  });

  test("pages fit together, in both orders", async () => {
    const whole = await list("");
    for (const order of ["latestFirst", "earliestFirst"]) {
      const pages = await journey.service.pages(`/v2/logs?order=${order}&count=3`, "logs");
      assert.equal(pages.length, 4);
      assert.deepEqual(pages.flat(), order === "latestFirst" ? whole : whole.toReversed());
    }
  });

  test("cursors are digits; 13 of them are a time, and 0 is the newest", async () => {
    const whole = await list("");
    const { json } = await journey.service.call("GET", "/v2/logs?count=1");
    assert.match(json["cursor"] as string, /^[1-9][0-9]{13,}$/);
    assert.deepEqual(await list("cursor=0"), whole);
    assert.deepEqual(await list("cursor=9999999999999"), whole);
    assert.deepEqual(await list("cursor=0000000000000"), []);
    // Not the newest: the last message has entries that are newer.
    const { time } = whole.find((entry) => entry["messageId"] === ids[1])! as { time: number };
    const older = whole.filter((entry) => (entry["time"] as number) <= time);
    assert.ok(older.length < whole.length);
    for (const order of ["latestFirst", "earliestFirst"]) {
      const first = `/v2/logs?order=${order}&count=2&cursor=${time}`;
      const found = (await journey.service.pages(first, "logs")).flat();
      assert.deepEqual(found, order === "latestFirst" ? older : older.toReversed());
    }
    assert.deepEqual(
      await list(`cursor=${time}&toDate=${time - 1}`),
      older.filter((entry) => (entry["time"] as number) < time),
    );
  });
});
