/** What happens when a destination does not accept a message. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonOf } from "../support/destination-server.ts";
import { journeys } from "../support/journeys.ts";
import type { Item } from "../support/account-calls.ts";

const DEAD_COUNT = 12;
const AT_ONCE = { "Svc-Retry-Delay": "10" };

journeys("retries", {}, (journey) => {
  test("a failed attempt is repeated until it is accepted", async () => {
    const { service, destination } = journey;
    destination.respond = (_request, nth) => ({ status: nth < 3 ? 503 : 201 });
    const messageId = await service.publish(`${destination.url}/third`, AT_ONCE, "x");
    const requests = await destination.received("/third", 3);
    assert.deepEqual(
      requests.map(({ headers }) => headers["svc-retried"]),
      ["0", "1", "2"],
    );
    assert.equal(new Set(requests.map(({ headers }) => headers["svc-signature"])).size, 3);
    const entries = await service.logUntil(messageId, "DELIVERED");
    const attempt = ["ACTIVE", "ERROR", "RETRY"];
    assert.deepEqual(
      entries.map((entry) => entry["state"]),
      ["CREATED", ...attempt, ...attempt, "ACTIVE", "DELIVERED"],
    );
    assert.equal(entries[2]?.["responseStatus"], 503);
    // After the attempt: a busy machine may settle it later than the next one is due.
    const [, active, , retry] = entries as readonly Record<string, number>[];
    assert.ok(retry!["nextDeliveryTime"]! >= active!["time"]! + 10);
  });

  test("a message without retries that gets a 404 leaves exactly four entries and a dead letter", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 404, headers: { "X-Why": "gone" }, body: "not here" });
    const headers = { "Svc-Retries": "0" };
    const messageId = await service.publish(`${destination.url}/gone`, headers, "lost");
    const entries = await service.logUntil(messageId, "FAILED");
    assert.deepEqual(
      entries.map(({ state }) => state),
      ["CREATED", "ACTIVE", "ERROR", "FAILED"],
    );
    assert.equal(entries.at(-1)?.["responseStatus"], 404);
    const letter = await service.deadLetterOf(messageId);
    assert.equal(letter["responseStatus"], 404);
    assert.equal(letter["responseBody"], "not here");
    assert.deepEqual((letter["responseHeader"] as Item)["X-Why"], ["gone"]);
    assert.equal(letter["body"], "lost");
    assert.match(letter.dlqId, /^\d+-\d+$/);
    assert.deepEqual(await service.get(`/v2/dlq/${letter.dlqId}`), letter);
  });

  test("a failed message names its dead letter while there is one", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 404 });
    const id = await service.publish(`${destination.url}/named`, { "Svc-Retries": "0" });
    const { dlqId } = await service.deadLetterOf(id);
    const shown = async (): Promise<unknown[]> => {
      const message = await service.message(id);
      return [message["state"], message["dlqId"], message["responseStatus"]];
    };
    assert.deepEqual(await shown(), ["FAILED", dlqId, 404]);
    await service.call("DELETE", `/v2/dlq/${dlqId}`);
    assert.deepEqual(await shown(), ["FAILED", undefined, 404]);
  });

  test("no answer at all is status 0 with a reason", async () => {
    const { service } = journey;
    const messageId = await service.publish("http://127.0.0.1:1/", { "Svc-Retries": "0" });
    const entries = await service.logUntil(messageId, "FAILED");
    assert.deepEqual(
      entries.map((entry) => entry["error"]),
      [undefined, undefined, "connection refused", "connection refused"],
    );
    assert.equal(entries.at(-1)?.["responseStatus"], undefined);
    const letter = await service.deadLetterOf(messageId);
    assert.equal(letter["responseStatus"], 0);
    assert.equal(letter["error"], "connection refused");
    const shown = await service.message(messageId);
    assert.equal(shown["error"], "connection refused");
    assert.equal(shown["responseStatus"], 0);
    assert.equal(shown["dlqId"], letter.dlqId);
  });

  test("an attempt that takes too long is cut off", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ delayMs: 5_000 });
    const headers = { "Svc-Retries": "0", "Svc-Timeout": "1s" };
    const messageId = await service.publish(`${destination.url}/slow`, headers);
    const entries = await service.logUntil(messageId, "FAILED");
    assert.equal(
      entries[2]?.["error"],
      "no complete answer within 1 s, the timeout of the message",
    );
  });

  test("a destination may say when to come again", async () => {
    const { service, destination } = journey;
    destination.respond = (_request, nth) =>
      nth === 1 ? { status: 429, headers: { "Retry-After": "0" } } : {};
    const patient = await service.publish(`${destination.url}/busy`, {
      "Svc-Retry-Delay": "60000",
    });
    await service.logUntil(patient, "DELIVERED");
  });

  test("a destination may say that a message is never to be sent again", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 489, headers: { "Svc-NonRetryable-Error": "true" } });
    const hopeless = await service.publish(`${destination.url}/never`, AT_ONCE);
    await service.logUntil(hopeless, "FAILED");
    assert.equal(destination.to("/never").length, 1);
  });

  test("each attempt is reported to the callback, the last failure to the other", async () => {
    const { service, destination } = journey;
    destination.respond = ({ url }) =>
      url.startsWith("/fails") ? { status: 500, body: "oh no" } : { status: 200 };
    const messageId = await service.publish(
      `${destination.url}/fails`,
      {
        ...AT_ONCE,
        "Svc-Retries": "1",
        "Svc-Callback": `${destination.url}/callback`,
        "Svc-Callback-Forward-X-Key": "secret",
        "Svc-Failure-Callback": `${destination.url}/failure`,
        "Svc-Failure-Callback-Method": "PUT",
        "Content-Type": "text/plain",
      },
      "source",
    );
    const callbacks = await destination.received("/callback", 2);
    assert.equal(callbacks[0].headers["x-key"], "secret");
    assert.equal(callbacks[0].headers["content-type"], "application/json");
    assert.ok(callbacks[0].headers["svc-signature"]);
    const reports = callbacks.map(jsonOf);
    assert.deepEqual(new Set(reports.map((report) => report["retried"])), new Set([0, 1]));
    assert.equal(reports[0]?.["status"], 500);
    assert.equal(reports[0]?.["sourceMessageId"], messageId);
    assert.equal(reports[0]?.["body"], Buffer.from("oh no").toString("base64"));
    assert.equal(reports[0]?.["sourceBody"], Buffer.from("source").toString("base64"));
    assert.equal(reports[0]?.["maxRetries"], 1);

    const [failure] = await destination.received("/failure");
    assert.equal(failure.method, "PUT");
    const letter = await service.get(`/v2/dlq/${String(jsonOf(failure)["dlqId"])}`);
    assert.equal(letter["messageId"], messageId);
    assert.equal(destination.to("/callback").length, 2);
    assert.equal(destination.to("/failure").length, 1);
    const callbackId = callbacks[0].headers["svc-message-id"] ?? "";
    assert.deepEqual(await service.statesUntil(callbackId, "DELIVERED"), [
      "CREATED",
      "ACTIVE",
      "DELIVERED",
    ]);
  });

  test("a dead destination does not hold up another", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    await Promise.all(
      Array.from({ length: DEAD_COUNT }, () =>
        service.publish("http://127.0.0.1:1/dead", { "Svc-Retry-Delay": "20", "Svc-Retries": "1" }),
      ),
    );
    await service.publish(`${destination.url}/alive`);
    await destination.received("/alive");
    await service.deadLettersUntil(DEAD_COUNT, "url=http://127.0.0.1:1/dead");
  });
});
