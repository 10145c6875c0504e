/** What one account looks for must not hold up what another one does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccount } from "../support/console-call.ts";
import { call, type CallAnswer } from "../support/http-call.ts";
import { type Journey, journeys } from "../support/journeys.ts";

const MESSAGES = 10_000;
const BATCH = 500;
const SEARCHES = 40;

journeys("searches", {}, (journey) => {
  test("another account publishes and reads while most searches are still waiting", async () => {
    await fill(journey);
    const { service } = journey;
    const other = await freshAccount(service.url);
    const finished: number[] = [];
    const searches = Array.from({ length: SEARCHES }, async () => {
      const answer = await service.call("GET", "/v2/logs?url=https%3A%2F%2Fnothing.test%2F");
      finished.push(answer.status);
      return answer;
    });
    await underWay(service.url);
    await Promise.all([
      other.publish("https://example.com/other", { "Upstash-Delay": "1d" }),
      other.get("/v2/keys"),
    ]);
    assert.ok(finished.length < SEARCHES / 2, `${finished.length} searches came first`);
    for (const answer of await Promise.all(searches)) assertFoundOrRefused(answer);
  });
});

/** An answer to a later request tells that the earlier ones have arrived. */
async function underWay(url: string): Promise<void> {
  await call(url, "GET", "/healthz");
}

function assertFoundOrRefused({ status, json, headers }: CallAnswer): void {
  if (status === 200) {
    assert.deepEqual(json["logs"], []);
    return;
  }
  assert.equal(status, 429);
  assert.ok(Number(headers["retry-after"]) >= 1);
  assert.ok(Number(headers["burst-ratelimit-limit"]) >= 1);
  assert.equal(headers["ratelimit-limit"], undefined);
}

async function fill({ service }: Journey): Promise<void> {
  const item = {
    destination: "https://example.com/waits",
    headers: { "Upstash-Delay": "1d" },
    body: "",
  };
  const items = Array.from({ length: BATCH }, () => item);
  for (let sent = 0; sent < MESSAGES; sent += BATCH) await service.batch(items);
}
