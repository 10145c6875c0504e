/** What those who run the service ask it, and what it refuses to protect itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { TestService } from "../support/service-harness.ts";

journeys("health", {}, (journey) => {
  test("health and readiness need no token", async () => {
    for (const path of ["/healthz", "/readyz", "/v2/liveness", "/v2/readiness"]) {
      const answer = await call(journey.service.url, "GET", path);
      assert.equal(answer.status, 200, path);
    }
  });

  test("readiness is a plain yes under both of its paths", async () => {
    for (const path of ["/readyz", "/v2/readiness"]) {
      const { json } = await call(journey.service.url, "GET", path);
      assert.deepEqual(json, { status: "ready", ready: true });
    }
  });

  test("the echo answers as it is asked to", async () => {
    const { url } = journey.service;
    const plain = await call(url, "PUT", "/echo/a/b", { body: "hello" });
    assert.equal(plain.status, 200);
    assert.deepEqual(plain.json, { echo: "PUT /echo/a/b", retried: 0, body: "hello" });
    assert.equal((await call(url, "GET", "/echo/x?status=418")).status, 418);
    assert.equal((await call(url, "GET", "/echo/x?status=99")).status, 400);
    assert.equal((await call(url, "GET", "/echo/x?delay=never")).status, 400);
    const long = await call(url, "GET", "/echo/x?delay=11m");
    assert.deepEqual([long.status, long.json["error"]], [400, "delay: must be at most 10m"]);
    const failing = await call(url, "POST", "/echo/x?times=2", { headers: { "Svc-Retried": "1" } });
    assert.equal(failing.status, 500);
    const last = await call(url, "POST", "/echo/x?times=2", { headers: { "Svc-Retried": "2" } });
    assert.equal(last.status, 200);
    const before = performance.now();
    await call(url, "GET", "/echo/x?delay=50ms");
    assert.ok(performance.now() - before >= 45);
  });
});

test("with little disk left nothing is accepted, and everything else goes on", async (context) => {
  const service = await TestService.startFor(context, { flags: { minFreeDisk: "100000TB" } });
  const answer = await service.call("POST", "/v2/publish/http://127.0.0.1:9/");
  assert.equal(answer.status, 507);
  assert.equal(answer.json["code"], "disk-low");
  const batch = '[{"destination":"http://127.0.0.1:9/"}]';
  assert.equal(await service.status("POST", "/v2/batch", { body: batch }), 507);
  assert.ok(Number(answer.headers["retry-after"]) > 0);
  assert.equal(await service.status("GET", "/v2/logs"), 200);
  const readiness = await service.call("GET", "/readyz");
  assert.equal(readiness.status, 503);
  assert.match(readiness.text, /every publish is refused/);
  assert.match(readiness.text, /make room on the disk of the store/);
  assert.ok(!readiness.text.includes("Retry-After"), readiness.text);
  assert.ok(Number(readiness.headers["retry-after"]) > 0);
  assert.equal(await service.status("GET", "/healthz"), 200);
});
