/** Messages out of attempts: listed, removed, and sent again. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { textOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";
import { eventually } from "../support/eventually.ts";

const diedAt = (id: string | undefined): number => Number(id?.split("-")[0]);
const idOf = (letter: Item | undefined): string => letter?.["dlqId"] as string;

journeys("dead letters", {}, (journey) => {
  const list = (query = ""): Promise<Item[]> => journey.service.deadLetters(query);

  /** Makes dead letters, and answers them oldest first. */
  async function makeLetters(count: number, headers: Record<string, string> = {}): Promise<Item[]> {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const sent = Array.from({ length: count }, (_, index) =>
      service.publish(
        `${destination.url}/n${index}`,
        { "Svc-Retries": "0", ...headers },
        `${index}`,
      ),
    );
    const messageIds = new Set(await Promise.all(sent));
    return eventually(async () => {
      const letters = await list();
      const ours = letters.filter((letter) => messageIds.has(letter["messageId"] as string));
      return ours.length === count ? ours.toReversed() : null;
    }, `${count} dead letters`);
  }

  beforeEach(async () => {
    await journey.service.call("DELETE", "/v2/dlq");
    journey.destination.requests.length = 0;
  });

  test("dead letters are found by each filter, and page by page", async () => {
    const letters = await makeLetters(5, { "Svc-Label": "tagged" });
    const last = letters[4]!;
    assert.equal((await list("label=tagged&responseStatus=500")).length, 5);
    assert.equal((await list("responseStatus=404")).length, 0);
    assert.equal((await list(`messageId=${last["messageId"] as string}`)).length, 1);
    assert.equal((await list(`dlqIds=${idOf(letters[0])},${idOf(letters[1])}`)).length, 2);
    assert.equal((await list(`url=${encodeURIComponent(last["url"] as string)}`)).length, 1);
    const pages = await journey.service.pages("/v2/dlq?count=2", "messages");
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1],
    );
    assert.deepEqual(pages.flat().map(idOf), letters.map(idOf).toReversed());
  });

  test("cursors are digits; 13 of them are a time, and 0 is the newest", async () => {
    const { service } = journey;
    const letters: Item[] = [];
    for (let count = 0; count < 3; count += 1) letters.push(...(await makeLetters(1)));
    const ids = letters.map(idOf).toReversed();
    const listed = async (query: string): Promise<string[]> => (await list(query)).map(idOf);
    const { json } = await service.call("GET", "/v2/dlq?count=1");
    assert.match(json["cursor"] as string, /^[1-9][0-9]{13,}$/);
    assert.deepEqual(await listed("cursor=0"), ids);
    const [newest, ...older] = ids;
    const before = diedAt(newest) - 1;
    assert.deepEqual(await listed(`cursor=${diedAt(newest)}`), ids);
    assert.deepEqual(await listed(`cursor=${before}`), older);
    assert.deepEqual(await listed(`cursor=${before}&order=earliestFirst`), older.toReversed());
    const first = await service.call("DELETE", `/v2/dlq?count=1&cursor=${before}`);
    assert.equal(first.json["deleted"], 1);
    const rest = `cursor=${first.json["cursor"] as string}`;
    assert.deepEqual((await service.call("DELETE", `/v2/dlq?${rest}`)).json, { deleted: 1 });
    assert.deepEqual(await listed(""), [newest]);
  });

  test("a dead letter is removed, once", async () => {
    const [letter] = await makeLetters(1);
    const path = `/v2/dlq/${idOf(letter)}`;
    assert.equal(await journey.service.status("DELETE", path), 200);
    assert.equal(await journey.service.status("DELETE", path), 404);
    assert.equal(await journey.service.status("GET", path), 404);
  });

  test("many are removed: by ids in the body, by count, by filter", async () => {
    const { service } = journey;
    const letters = await makeLetters(6);
    const dlqIds = [idOf(letters[0]), idOf(letters[1]), "1-1", "nonsense"];
    const byIds = await service.call("DELETE", "/v2/dlq", {
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ dlqIds }),
    });
    assert.deepEqual(byIds.json, { deleted: 2 });
    const some = await service.call("DELETE", "/v2/dlq?count=1");
    assert.equal(some.json["deleted"], 1);
    assert.equal(typeof some.json["cursor"], "string");
    const all = await service.call("DELETE", "/v2/dlq?responseStatus=500");
    assert.deepEqual(all.json, { deleted: 3 });
    assert.deepEqual(await list(), []);
  });

  test("an unknown filter removes nothing", async () => {
    await makeLetters(1);
    await journey.service.refused("DELETE /v2/dlq?lable=x", 400, /lable/);
    assert.equal((await list()).length, 1);
  });

  test("a dead letter is sent again as a new message, with other settings where asked", async () => {
    const { service, destination } = journey;
    const headers = {
      "Content-Type": "text/x-original",
      "Svc-Forward-X-Keep": "kept",
      "Svc-Forward-X-Change": "old",
      "Svc-Label": "first",
    };
    const [letter] = await makeLetters(1, headers);
    destination.respond = () => ({});
    const answer = await service.call("POST", `/v2/dlq/retry/${idOf(letter)}`, {
      headers: {
        "Content-Type": "application/json",
        "Svc-Retries": "2",
        "Svc-Forward-X-Change": "new",
      },
    });
    assert.equal(answer.status, 201);
    const messageId = answer.json["messageId"] as string;
    assert.notEqual(messageId, letter?.["messageId"]);
    const [, again] = await destination.received("/n0", 2);
    assert.equal(again?.headers["svc-message-id"], messageId);
    assert.equal(again?.headers["x-keep"], "kept");
    assert.equal(again?.headers["x-change"], "new");
    assert.equal(again?.headers["content-type"], "text/x-original");
    assert.equal(textOf(again), "0");
    const json = await service.message(messageId);
    assert.equal(json["maxRetries"], 2);
    assert.deepEqual(json["labels"], ["first"]);
    assert.deepEqual(await list(), []);
    assert.equal(await service.status("POST", `/v2/dlq/retry/${idOf(letter)}`), 404);
  });

  test("many are sent again; a missing id stops all", async () => {
    const { service, destination } = journey;
    const letters = await makeLetters(4);
    const ids = letters.map(idOf);
    const missing = await service.call("POST", `/v2/dlq/retry?dlqIds=${ids[0]},1-1`);
    assert.equal(missing.status, 404);
    assert.equal((await list()).length, 4);
    destination.respond = () => ({});
    const two = await service.call("POST", `/v2/dlq/retry?dlqIds=${ids[0]},${ids[1]}`);
    assert.equal(two.status, 201);
    assert.equal(two.json["cursor"], "");
    assert.equal((two.json["responses"] as Item[]).length, 2);
    const rest = await service.call("POST", "/v2/dlq/retry");
    assert.equal((rest.json["responses"] as Item[]).length, 2);
    for (const path of ["/n0", "/n1", "/n2", "/n3"]) await destination.received(path, 2);
    assert.deepEqual(await list(), []);
  });
});
