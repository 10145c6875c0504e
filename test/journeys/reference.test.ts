/** The reference that the service gives of itself: the OpenAPI document and its page. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRouter } from "../../src/api/http/router.ts";
import { CONSOLE_ROUTES } from "../../src/api/account/console-routes.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { VERSION } from "../../src/config/version.ts";
import { call } from "../support/http-call.ts";
import { TestService } from "../support/service-harness.ts";

describe("reference", () => {
  let service: TestService;
  before(async () => {
    service = await TestService.start();
  });
  after(() => service?.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    service.call("GET", path, { token: null, headers });

  /** A caller that has a version of the page; its answer may be no document at all. */
  const getAgain = (path: string, etag: string) =>
    call(service.url, "GET", path, { headers: { "If-None-Match": etag } });

  test("the document needs no token, and is of this version", async () => {
    const { status, json, headers } = await get("/openapi.json");
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/json");
    assert.equal(json["openapi"], "3.1.0");
    assert.equal((json["info"] as Record<string, unknown>)["version"], VERSION);
  });

  for (const path of ["/openapi.json", "/docs", "/docs/style.css"]) {
    test(`${path} is cached, and not sent again to a caller that has it`, async () => {
      const first = await get(path);
      assert.match(String(first.headers["cache-control"]), /max-age=\d+/);
      const again = await getAgain(path, String(first.headers["etag"]));
      assert.equal(again.status, 304);
      assert.equal(again.text, "");
      const other = await getAgain(path, '"other"');
      assert.equal(other.status, 200);
      const head = await service.call("HEAD", path, { token: null });
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(head.headers["content-length"], String(Buffer.byteLength(first.text)));
    });
  }

  for (const path of ["/openapi.json", "/docs", "/docs/style.css"]) {
    test(`${path} is compressed for a caller that takes it`, async () => {
      const plain = await fetch(`${service.url}${path}`, {
        headers: { "Accept-Encoding": "identity" },
      });
      assert.equal(plain.headers.get("content-encoding"), null);
      const packed = await fetch(`${service.url}${path}`, {
        headers: { "Accept-Encoding": "gzip" },
      });
      assert.equal(packed.headers.get("content-encoding"), "gzip");
      assert.equal(packed.headers.get("vary"), "Accept-Encoding");
      const text = await plain.text();
      assert.ok(Number(packed.headers.get("content-length")) < text.length / 2);
      assert.equal(await packed.text(), text);
    });
  }

  test("the page has no script and no style of its own, and its policy allows none", async () => {
    const { text, headers } = await get("/docs");
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
    const policy = String(headers["content-security-policy"]);
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|script-src|\*/);
    assert.doesNotMatch(text, /<script|<style|\sstyle=|\son\w+=/);
    assert.equal(headers["x-content-type-options"], "nosniff");
  });

  test("the page names each endpoint, and every link in it leads to something", async () => {
    const { text } = await get("/docs");
    const ids = Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id]) => id!);
    assert.deepEqual(ids, [...new Set(ids)]);
    const links = Array.from(text.matchAll(/href="#([^"]*)"/g), ([, id]) => id!);
    assert.ok(links.length > 200);
    const known = new Set(ids);
    assert.deepEqual(
      links.filter((id) => !known.has(id)),
      [],
    );
    const { json } = await get("/openapi.json");
    const paths = Object.values(
      json["paths"] as Record<string, Record<string, { operationId: string }>>,
    );
    const operations = paths.flatMap((item) => Object.values(item));
    assert.deepEqual(
      operations.filter(({ operationId }) => !known.has(operationId)),
      [],
    );
  });

  test("each command on the page calls an endpoint", async () => {
    const { text } = await get("/docs");
    const router = createRouter([...ROUTES, ...CONSOLE_ROUTES]);
    const plain = text.replace(/<[^>]+>/g, "").replaceAll("&quot;", '"');
    const commands = Array.from(
      plain.matchAll(/curl (?:-G )?(?:-X ([A-Z]+))?[\s\\]*"\$POSTRIDER_URL([^"]+)"/g),
    );
    assert.ok(commands.length > 80);
    for (const [command, method = "GET", path] of commands) {
      assert.equal(router(method, path!).kind, "route", command);
    }
  });
});
