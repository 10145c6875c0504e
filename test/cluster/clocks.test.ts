/** Nodes whose machines disagree about the time, on one database. */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { DestinationServer } from "../support/destination-server.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";
import { TestService } from "../support/service-harness.ts";

const skip = postgresMissing();
const HOUR_MS = 3_600_000;
const SECRET_KEY = "ab".repeat(32);

const ends: (() => Promise<void>)[] = [];
after(async () => {
  for (const end of ends.toReversed()) await end();
});

test("a message waits as long as it should, whichever node takes it", { skip }, async () => {
  const destination = await DestinationServer.start();
  ends.push(() => destination.close());
  const database = await freshDatabase();
  ends.push(() => database.drop());
  const nodes = await Promise.all(
    [0, HOUR_MS, -HOUR_MS].map((aheadMs) => nodeWith(database.url, aheadMs)),
  );
  const delayMs = 3_000;
  for (const [index, node] of nodes.entries()) {
    const askedAt = Date.now();
    const id = await node.publish(`${destination.url}/wait-${index}`, { "Upstash-Delay": "3s" });
    const { json } = await node.call("GET", `/v2/messages/${id}`);
    const waitMs = Number(json["notBefore"]) - Number(json["createdAt"]);
    assert.equal(waitMs, delayMs);
    assert.ok(Math.abs(Number(json["createdAt"]) - askedAt) < HOUR_MS / 10, "it is of our time");
  }
  for (const index of nodes.keys()) await destination.received(`/wait-${index}`);
});

async function nodeWith(databaseUrl: string, aheadMs: number): Promise<TestService> {
  const now = (): number => systemClock.now() + aheadMs;
  const clock: Clock = { ...systemClock, now, wall: now };
  const node = await TestService.start({ flags: { databaseUrl, secretKey: SECRET_KEY }, clock });
  ends.push(() => node.stop());
  return node;
}
