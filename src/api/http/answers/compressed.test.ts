import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import type { Answer } from "./answer.ts";
import { COMPRESSED_BYTES_MIN, COMPRESSOR_BYTES } from "./compressed.ts";
import { writeAnswer } from "./write-answer.ts";

const TEXT = JSON.stringify(Array.from({ length: 5_000 }, (_, index) => ({ index, ü: "ß" })));

interface Asked {
  readonly method?: string;
  readonly accepts?: string;
  /** Whether the budget has room for a compressor. */
  readonly hasRoom?: boolean;
}

/** A server that gives one answer to all. */
async function serve(t: TestContext, answer: () => Answer, hasRoom = true) {
  const grown: number[] = [];
  const written: Promise<void>[] = [];
  const room = {
    hold: () => undefined,
    grow: (bytes: number) => hasRoom && grown.push(bytes) > 0,
    release: () => undefined,
  };
  const server = createServer((_request, response) => {
    const options = { clock: new ManualClock(), isLast: true, unread: null, room };
    const answered = writeAnswer(response, answer(), options);
    answered.catch(() => undefined);
    written.push(answered);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, grown, written };
}

async function ask(t: TestContext, answer: Answer, asked: Asked = {}) {
  const { method = "GET", accepts = "gzip, br", hasRoom = true } = asked;
  const { port, grown } = await serve(t, () => answer, hasRoom);
  const sent = request({ port, method, headers: { "Accept-Encoding": accepts } }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { headers: response.headers, bytes: await buffer(response), grown };
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const;

for (const coding of ["br", "gzip"] as const) {
  test(`a long document is sent in ${coding}, whole and smaller`, async (t) => {
    const { headers, bytes, grown } = await ask(
      t,
      { status: 200, body: TEXT },
      { accepts: coding },
    );
    assert.equal(headers["content-encoding"], coding);
    assert.equal(headers.vary, "Accept-Encoding");
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["content-length"], undefined);
    assert.equal(unpack[coding](bytes).toString(), TEXT);
    assert.ok(bytes.length < TEXT.length / 5, `${bytes.length} of ${TEXT.length}`);
    assert.deepEqual(grown, [COMPRESSOR_BYTES + TEXT.length]);
  });
}

test("pieces that are made as the caller reads are compressed one after another", async (t) => {
  const body = [TEXT.slice(0, 70_000), Buffer.from(TEXT.slice(70_000))];
  const { bytes } = await ask(t, { status: 200, body });
  assert.equal(brotliDecompressSync(bytes).toString(), TEXT);
});

const SHORT = "x".repeat(COMPRESSED_BYTES_MIN - 1);

const AS_THEY_ARE: readonly [what: string, answer: Answer, asked?: Asked][] = [
  ["a short document", { status: 200, body: SHORT }],
  ["a refusal", { status: 400, body: TEXT }],
  ["what is no JSON", { status: 200, body: TEXT, contentType: "text/plain" }],
  ["a live stream", { status: 200, body: [TEXT], isLive: true }],
  ["the answer to a change", { status: 200, body: TEXT }, { method: "POST" }],
  ["an answer to a caller that takes no coding", { status: 200, body: TEXT }, { accepts: "" }],
  ["an answer without room for a compressor", { status: 200, body: TEXT }, { hasRoom: false }],
];

for (const [what, answer, asked] of AS_THEY_ARE) {
  test(`${what} is sent as it is`, async (t) => {
    const { headers, bytes, grown } = await ask(t, answer, asked);
    assert.equal(headers["content-encoding"], undefined);
    assert.equal(bytes.toString(), answer.body === SHORT ? SHORT : TEXT);
    assert.deepEqual(grown, []);
  });
}

test("a document of the least length is compressed", async (t) => {
  const { headers } = await ask(t, { status: 200, body: "x".repeat(COMPRESSED_BYTES_MIN) });
  assert.equal(headers["content-encoding"], "br");
});

test("HEAD names the coding and sends nothing", async (t) => {
  const { headers, bytes } = await ask(t, { status: 200, body: TEXT }, { method: "HEAD" });
  assert.equal(headers["content-encoding"], "br");
  assert.equal(bytes.length, 0);
});

function* failing(): Generator<string> {
  yield TEXT;
  throw new Error("the database is gone");
}

test("a document that fails on the way is seen to be incomplete", async (t) => {
  const { port, written } = await serve(t, () => ({ status: 200, body: failing() }));
  const sent = request({ port, headers: { "Accept-Encoding": "gzip" } }).end();
  sent.on("error", () => undefined);
  const read = once(sent, "response").then(([response]) => buffer(response as IncomingMessage));
  await assert.rejects(read, { code: "ECONNRESET" });
  await assert.rejects(written[0]!, /the database is gone/);
});

test("a caller that hangs up ends the making of the document", async (t) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  function* endless(): Generator<string> {
    try {
      for (;;) yield Math.random().toString(36).repeat(2_000);
    } finally {
      end();
    }
  }
  const { port, written } = await serve(t, () => ({ status: 200, body: endless() }));
  const sent = request({ port, headers: { "Accept-Encoding": "br" } }).end();
  sent.on("error", () => undefined);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.destroy();
  await ended;
  await written[0];
});
