/** No cache keeps what an account was told, and no browser takes it for a page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ROUTES } from "../../src/api/routes.ts";
import { REFERENCE_ROUTES } from "../../src/api/http/pages/server-routes.ts";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ADMIN, basic } from "../support/console-call.ts";
import { EventStream } from "../support/event-stream.ts";
import { call, type CallAnswer, exchangeBytes } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";

/** The same for all: they say themselves how long they may be kept. */
const PAGES = REFERENCE_ROUTES.map(({ path }) => path);

journeys("private answers", {}, (journey) => {
  test("every route answers and refuses with no-store and nosniff", async () => {
    const { url, token } = journey.service;
    let answered = 0;
    for (const { method, path, needs } of [...ROUTES, ...CONSOLE_ROUTES]) {
      if (PAGES.includes(path) || path === "/v2/stream" || path.includes("rotate")) continue;
      const target = path.replace(/\{[^}]+\}/g, "none");
      const verb = method === "ANY" ? "POST" : method;
      const console = needs === "console" || needs === "operator";
      const authorization = console ? basic(ADMIN) : `Bearer ${token}`;
      const asked: readonly Record<string, string>[] = [
        { Authorization: authorization },
        { Authorization: "Bearer wrong" },
        {},
      ];
      for (const headers of asked) {
        const answer = await call(url, verb, target, { headers });
        requirePrivate(answer, `${verb} ${path} ${answer.status}`);
        if (answer.status === 200) answered += 1;
      }
    }
    assert.ok(answered > 25, String(answered));
  });

  test("so do streams, large bodies, answers without a body, and refusals of what is no request", async () => {
    const { service } = journey;
    const stream = await EventStream.open(service.url, service.token);
    stream.close();
    requirePrivate(stream, "stream");
    const waiting = { "Svc-Delay": "1h" };
    const id = await service.publish("https://example.com/", waiting, "large. ".repeat(200_000));
    requirePrivate(await service.call("GET", `/v2/messages/${id}`), "a large body");
    requirePrivate(await service.call("HEAD", `/v2/messages/${id}`), "HEAD");
    requirePrivate(await service.call("OPTIONS", "/v2/logs"), "OPTIONS");
    requirePrivate(await service.call("PATCH", "/v2/logs"), "405");
    requirePrivate(await service.call("GET", "/nothing"), "404");
    const raw = await exchangeBytes(service.url, "no request\r\n\r\n");
    assert.match(raw, /\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n/);
  });

  test("pages that are the same for all keep their own time", async () => {
    const { url } = journey.service;
    for (const path of PAGES) {
      const { headers } = await call(url, "GET", path);
      assert.equal(headers["cache-control"], "public, max-age=300", path);
      assert.equal(headers["x-content-type-options"], "nosniff", path);
    }
  });
});

function requirePrivate({ headers }: Pick<CallAnswer, "headers">, what: string): void {
  const { "cache-control": caching, "x-content-type-options": sniffing } = headers;
  assert.deepEqual([caching, sniffing], ["no-store", "nosniff"], what);
}
