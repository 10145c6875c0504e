/** The limits of a flow-control key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

journeys("flow control", {}, (journey) => {
  test("no more calls are under way at once than the key allows", async () => {
    const { service, destination } = journey;
    let underWay = 0;
    let most = 0;
    const { promise: both, resolve: bothCame } = Promise.withResolvers<void>();
    // On a busy machine the first would be answered before the second comes.
    destination.respond = async () => {
      most = Math.max(most, ++underWay);
      if (underWay === 2) bothCame();
      await both;
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
    const message = await service.message((await sent[0])!);
    assert.equal(message["flowControlKey"], "k");
    assert.equal(message["parallelism"], 2);
    assert.equal(message["period"], 1);
  });

  test("no more calls start in a period than the key allows", async () => {
    const { service, destination } = journey;
    const headers = { "Svc-Flow-Control-Key": "r", "Svc-Flow-Control-Value": "rate=2, period=1s" };
    const sent = Array.from({ length: 5 }, () =>
      service.publish(`${destination.url}/rated`, headers),
    );
    // A call may be long on its way, so what counts is when it started, not when it arrived.
    const starts: number[] = [];
    for (const messageId of await Promise.all(sent)) {
      const entries = await service.logUntil(messageId, "DELIVERED");
      const started = entries.filter(({ state }) => state === "ACTIVE");
      starts.push(...started.map(({ time }) => time as number));
    }
    assert.equal(destination.to("/rated").length, 5);
    assert.equal(starts.length, 5);
    const [first = 0, , third = 0, , fifth = 0] = starts.toSorted((one, other) => one - other);
    assert.ok(third - first >= 1_000, `${third - first}`);
    assert.ok(fifth - third >= 1_000, `${fifth - third}`);
  });
});
