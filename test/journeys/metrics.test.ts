/** What monitoring reads, and who may read it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { DURATION_BOUNDS_MS } from "../../src/core/model/account/stats.ts";
import { call, exchangeBytes } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { readMetrics, type Samples } from "../support/metrics-text.ts";
import { TestService } from "../support/service-harness.ts";

async function read(service: TestService): Promise<Samples> {
  const answer = await call(service.url, "GET", "/metrics");
  assert.equal(answer.status, 200, answer.text);
  assert.match(String(answer.headers["content-type"]), /^text\/plain; version=0\.0\.4/);
  return readMetrics(answer.text);
}

/** Each is added by some proxy, and alone tells that the caller is elsewhere. */
const FORWARDING = [
  "Forwarded",
  "Via",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "X-Forwarded-Port",
  "X-Forwarded-Server",
  "X-Forwarded",
  "X-Real-IP",
  "X-Client-IP",
  "X-Cluster-Client-IP",
  "X-Original-Forwarded-For",
  "X-Envoy-External-Address",
  "Client-IP",
  "True-Client-IP",
  "CF-Connecting-IP",
  "Fastly-Client-IP",
];

journeys("metrics", {}, (journey) => {
  test("count what the node did, and what waits", async () => {
    const { service, destination } = journey;
    const before = await read(service);
    assert.equal(before.get("postrider_messages_published_total"), 0);
    destination.respond = ({ url }) => ({ status: url === "/bad" ? 500 : 200 });
    const delivered = await service.publish(`${destination.url}/ok`);
    const dead = await service.publish(`${destination.url}/bad`, { "Upstash-Retries": "0" });
    await service.publish(`${destination.url}/later`, { "Upstash-Delay": "1h" });
    await service.logUntil(delivered, "DELIVERED");
    await service.logUntil(dead, "FAILED");
    await service.call("GET", "/v2/messages/none");
    const after = await read(service);
    const expected: Readonly<Record<string, number>> = {
      postrider_messages_published_total: 3,
      postrider_messages_delivered_total: 1,
      postrider_messages_dead_lettered_total: 1,
      postrider_messages_canceled_total: 0,
      'postrider_attempts_total{outcome="delivered"}': 1,
      'postrider_attempts_total{outcome="failed"}': 1,
      'postrider_attempt_duration_seconds_bucket{le="+Inf"}': 2,
      postrider_attempt_duration_seconds_count: 2,
      'postrider_refusals_total{code="not-found"}': 1,
      postrider_slots_used: 0,
      postrider_disk_low: 0,
    };
    for (const [name, value] of Object.entries(expected))
      assert.equal(after.get(name), value, name);
    const buckets = [...after].filter(([name]) => name.includes("_seconds_bucket"));
    assert.equal(buckets.length, DURATION_BOUNDS_MS.length + 1);
    const counts = buckets.map(([, count]) => count);
    assert.deepEqual(
      counts,
      counts.toSorted((one, other) => one - other),
    );
  });

  test("need a token from behind a proxy, and the right one", async () => {
    const { url, token } = journey.service;
    for (const name of FORWARDING) {
      const proxied = { headers: { [name]: "203.0.113.9" } };
      assert.equal((await call(url, "GET", "/metrics", proxied)).status, 401, name);
    }
    const refused = await call(url, "GET", "/metrics", { token });
    assert.equal(refused.status, 401);
    assert.match(String(refused.json["error"]), /metrics-token/);
  });
});

test("a token opens the metrics to other machines", async (t) => {
  const token = "a-secret-of-monitoring";
  const service = await TestService.startFor(t, { flags: { metricsToken: token } });
  const headers = { "X-Forwarded-For": "203.0.113.9" };
  assert.equal((await call(service.url, "GET", "/metrics", { token, headers })).status, 200);
  const wrong = await call(service.url, "GET", "/metrics", { token: `${token}x`, headers });
  assert.equal(wrong.status, 401);
});

test("without a token the metrics answer to names of this machine alone", async (t) => {
  const flags = { publicUrl: "https://post.example.com" };
  const service = await TestService.startFor(t, { mode: "serve", flags });
  const { port } = new URL(service.url);
  const to = async (host: string): Promise<number> =>
    (await call(service.url, "GET", "/metrics", { headers: { Host: host } })).status;
  for (const host of ["localhost", `127.0.0.1:${port}`, "[::1]:9", "LOCALHOST.", "app.localhost"]) {
    assert.equal(await to(host), 200, host);
  }
  const foreign = ["evil.example", `evil.example:${port}`, "post.example.com", "127.0.0.1.nip.io"];
  for (const host of [...foreign, "192.168.1.7", "0.0.0.0", "x y"]) {
    assert.equal(await to(host), 401, host);
  }
  const withoutHost = await exchangeBytes(service.url, "GET /metrics HTTP/1.0\r\n\r\n");
  assert.match(withoutHost, /^HTTP\/1\.1 401 /);
});

describe("files for monitoring", () => {
  for (const file of ["prometheus/alerts.yml", "grafana/postrider.json"]) {
    test(`${file} uses metrics that there are`, async (t) => {
      const service = await TestService.startFor(t);
      const answer = await call(service.url, "GET", "/metrics");
      const known = new Set(
        [...answer.text.matchAll(/^# TYPE ([a-z_]+) /gm)].map(([, name]) => name),
      );
      const text = readFileSync(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
      const used = [...text.matchAll(/\b((?:postrider|process)_[a-z_]+)/g)].map(([, name]) =>
        name!.replace(/_(?:bucket|sum|count)$/, ""),
      );
      assert.ok(used.length > 5);
      assert.deepEqual([...new Set(used.filter((name) => !known.has(name)))], []);
    });
  }
});
