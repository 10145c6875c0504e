/** What a browser or client that takes compressed answers gets of the API. */
import assert from "node:assert/strict";
import { request, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { TestService } from "../support/service-harness.ts";

const MESSAGES = 100;

describe("compressed answers", () => {
  let service: TestService;

  before(async () => {
    service = await TestService.start();
    const headers = { "Upstash-Delay": "1d" };
    const item = { destination: "https://example.com/orders", headers, body: "ü".repeat(50) };
    await service.batch(Array.from({ length: MESSAGES }, () => item));
  });
  after(() => service.stop());

  async function get(path: string, coding: string) {
    const headers = { Authorization: `Bearer ${service.token}`, "Accept-Encoding": coding };
    const sent = request(`${service.url}${path}`, { headers }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200);
    return { headers: response.headers, bytes: await buffer(response) };
  }

  for (const path of [`/v2/messages?count=${MESSAGES}`, `/v2/logs?count=${MESSAGES}`]) {
    test(`${path} is the same document in every coding`, async () => {
      const plain = await get(path, "identity");
      assert.equal(plain.headers["content-encoding"], undefined);
      const zipped = await get(path, "gzip");
      assert.equal(zipped.headers["content-encoding"], "gzip");
      const brotli = await get(path, "gzip, deflate, br");
      assert.equal(brotli.headers["content-encoding"], "br");
      assert.deepEqual(gunzipSync(zipped.bytes), plain.bytes);
      assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes);
      assert.ok(brotli.bytes.length < plain.bytes.length / 4);
    });
  }

  test("a short answer, a page and a stream are sent as they were", async () => {
    const short = await get("/v2/queues", "br");
    assert.equal(short.headers["content-encoding"], undefined);
    const page = await get("/docs", "br, gzip;q=0.5");
    assert.equal(page.headers["content-encoding"], "gzip", "it was compressed once, for all");
    const wanted = { Authorization: `Bearer ${service.token}`, "Accept-Encoding": "br" };
    const sent = request(`${service.url}/v2/stream`, { headers: wanted }).end();
    const [stream] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(stream.statusCode, 200);
    assert.equal(stream.headers["content-encoding"], undefined);
    stream.destroy();
  });
});
