/** The same message, sent twice, is delivered once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("deduplication", {}, (journey) => {
  const publish = (path: string, headers: Record<string, string>, body = "same") =>
    journey.service.call("POST", `/v2/publish/${journey.destination.url}${path}`, {
      headers,
      body,
    });

  test("an explicit id is taken once in the account", async () => {
    const headers = { "Svc-Deduplication-Id": "order-1" };
    const first = await publish("/explicit", headers);
    const second = await publish("/other", headers, "different");
    assert.equal(first.status, 200);
    assert.equal(second.status, 202);
    const url = `${journey.destination.url}/other`;
    assert.deepEqual(second.json, { ...first.json, url, deduplicated: true });
    await journey.destination.received("/explicit");
    assert.equal(journey.destination.to("/other").length, 0);
  });

  test("of many at once, one is accepted and delivered", async () => {
    const headers = { "Svc-Deduplication-Id": "crowd" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => publish("/crowd", headers)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(new Set(answers.map(({ json }) => json["messageId"])).size, 1);
    await journey.service.logUntil(String(answers[0]?.json["messageId"]), "DELIVERED");
    assert.equal(journey.destination.to("/crowd").length, 1);
  });

  test("a duplicate is found by its content: destination, forwarded headers and body count, settings do not", async () => {
    const on = { "Svc-Content-Based-Deduplication": "true" };
    const statuses = [
      await publish("/content", on),
      await publish("/content", { ...on, "Svc-Retries": "1" }),
      await publish("/content", on, "other"),
      await publish("/content", { ...on, "Svc-Forward-X-A": "1" }),
      await publish("/content?x=1", on),
      await publish("/content", { ...on, "Content-Type": "text/plain" }),
      await publish("/content", {}),
    ].map(({ status }) => status);
    assert.deepEqual(statuses, [200, 202, 200, 200, 200, 200, 200]);
  });
});
