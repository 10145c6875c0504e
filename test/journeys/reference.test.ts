/** The reference that the service gives of itself: the OpenAPI document. The dashboard shows it at `/docs`. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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

  test("it is cached, and not sent again to a caller that has it", async () => {
    const first = await get("/openapi.json");
    assert.match(String(first.headers["cache-control"]), /max-age=\d+/);
    const etag = String(first.headers["etag"]);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await getAgain("/openapi.json", known);
      assert.deepEqual([again.status, again.text], [304, ""], known);
    }
    const other = await getAgain("/openapi.json", '"other"');
    assert.equal(other.status, 200);
    const head = await service.call("HEAD", "/openapi.json", { token: null });
    assert.deepEqual([head.status, head.text], [200, ""]);
    assert.equal(head.headers["content-length"], String(Buffer.byteLength(first.text)));
  });

  test("it is compressed for a caller that takes it", async () => {
    const plain = await fetch(`${service.url}/openapi.json`, {
      headers: { "Accept-Encoding": "identity" },
    });
    assert.equal(plain.headers.get("content-encoding"), null);
    const packed = await fetch(`${service.url}/openapi.json`, {
      headers: { "Accept-Encoding": "gzip" },
    });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
    assert.equal(packed.headers.get("vary"), "Accept-Encoding");
    const text = await plain.text();
    assert.ok(Number(packed.headers.get("content-length")) < text.length / 2);
    assert.equal(await packed.text(), text);
  });

  test("a port of the console's own has it too, for the screen at /docs", async (t) => {
    const apart = await TestService.startFor(t, { flags: { consolePort: "0" } });
    for (const path of ["/openapi.json", "/docs"]) {
      assert.equal((await call(apart.service.consoleUrl, "GET", path)).status, 200, path);
    }
  });
});
