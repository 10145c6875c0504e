import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { MemoryBudget } from "../../platform/memory-budget.ts";
import { systemClock } from "../../platform/clock.ts";
import { Body } from "./body.ts";
import { UploadWatch } from "./upload-watch.ts";

const MEGABYTE = 1024 * 1024;

/** A server that reads bodies within a budget, and reports the size of each. */
async function startReader(t: TestContext, bytesMax: number) {
  const gate = new MemoryBudget({
    clock: systemClock,
    bytesMax,
    reserveBytes: 0,
    waitingMax: 10,
    waitMsMax: 60_000,
    firstMsMax: 60_000,
    refusal: () => new Error("no room"),
  });
  const tools = { clock: systemClock, gate, uploads: new UploadWatch(systemClock) };
  const answer = async (got: IncomingMessage, response: ServerResponse): Promise<void> => {
    const declared = got.headers["content-length"];
    const body = new Body(got, declared === undefined ? null : Number(declared), tools, null);
    const size = await body.read(4 * MEGABYTE).then(
      (bytes) => String(bytes.length),
      (error: Error) => error.message,
    );
    body.release();
    response.end(size);
  };
  const server = createServer((got, response) => void answer(got, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { gate, port: (server.address() as AddressInfo).port };
}

function startUpload(port: number, headers: Readonly<Record<string, string>> = {}) {
  const sent = request({ port, host: "127.0.0.1", method: "POST", headers, agent: false });
  const { promise: size, resolve } = Promise.withResolvers<string>();
  sent.on("response", (response) => void text(response).then(resolve));
  sent.on("error", (error) => resolve(error.message));
  return { sent, size };
}

const PATIENCE_MS = 10_000;

async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!condition()) {
    assert.ok(performance.now() < giveUpAt, "it did not come to be");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a body is charged by what has arrived of it, and not by what was announced", async (t) => {
  const { gate, port } = await startReader(t, MEGABYTE);
  const uploads = [1, 2, 3].map(() => startUpload(port, { "Content-Length": String(MEGABYTE) }));
  for (const { sent } of uploads) sent.write(Buffer.alloc(1_000));
  await until(() => gate.used > 0 && gate.used === 3 * 1_000);
  const { sent, size } = startUpload(port);
  sent.end(Buffer.alloc(900_000));
  assert.equal(await size, "900000");
});

test("bodies that do not fit wait half-read, and come to their end one after the other", async (t) => {
  const { gate, port } = await startReader(t, MEGABYTE);
  const uploads = [1, 2, 3].map(() => startUpload(port));
  for (const { sent } of uploads) sent.write(Buffer.alloc(2 * MEGABYTE));
  await until(() => gate.waiting === 2);
  // One upload goes first, the others share the budget.
  assert.ok(gate.used <= 4 * MEGABYTE + MEGABYTE, `${gate.used} bytes`);
  for (const { sent } of uploads) sent.end();
  assert.deepEqual(
    await Promise.all(uploads.map(({ size }) => size)),
    [1, 2, 3].map(() => String(2 * MEGABYTE)),
  );
  assert.equal(gate.used, 0);
});
