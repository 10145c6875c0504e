/** The limits of a flow-control key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("flow control", {}, (journey) => {
  test("no more calls are under way at once than the key allows", async () => {
    const { service, destination } = journey;
    let underWay = 0;
    let most = 0;
    destination.respond = () => {
      most = Math.max(most, ++underWay);
      setTimeout(() => underWay--, 40);
      return { delayMs: 50 };
    };
    const headers = { "Svc-Flow-Control-Key": "k", "Svc-Flow-Control-Value": "parallelism=2" };
    const sent = Array.from({ length: 8 }, () =>
      service.publish(`${destination.url}/limited`, headers),
    );
    for (const messageId of await Promise.all(sent)) {
      await service.logUntil(messageId, "DELIVERED");
    }
    assert.equal(most, 2);
    const { json } = await service.call("GET", `/v2/messages/${await sent[0]}`);
    assert.equal(json["flowControlKey"], "k");
    assert.equal(json["parallelism"], 2);
    assert.equal(json["period"], 1);
  });

  test("no more calls start in a period than the key allows", async () => {
    const { service, destination } = journey;
    const starts: number[] = [];
    destination.respond = () => {
      starts.push(performance.now());
      return {};
    };
    const headers = { "Svc-Flow-Control-Key": "r", "Svc-Flow-Control-Value": "rate=2, period=1s" };
    await Promise.all(
      Array.from({ length: 5 }, () => service.publish(`${destination.url}/rated`, headers)),
    );
    await destination.received("/rated", 5);
    const [first = 0, , third = 0, , fifth = 0] = starts;
    assert.ok(third - first > 900, `${third - first}`);
    assert.ok(fifth - third > 900, `${fifth - third}`);
  });
});
