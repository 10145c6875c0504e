/** When a connection is used for the next delivery, and when it must not be. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { answered, deliveryTo, send, startCourier } from "./sending.ts";
import { startRaw } from "./server.ts";

/** Answers every request that arrives with the same bytes. */
function startSaying(t: TestContext, text: string, after?: (socket: Socket) => void) {
  return startRaw(t, (socket) => {
    socket.write(text);
    after?.(socket);
  });
}

const KEPT: readonly (readonly [string, string])[] = [
  ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  ["chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"],
  ["no content", "HTTP/1.1 204 No Content\r\n\r\n"],
  [
    "HTTP/1.0 and keep-alive",
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
  ],
];

for (const [how, text] of KEPT) {
  test(`a connection is used again after an answer with ${how}`, async (t) => {
    const server = await startSaying(t, text);
    const courier = startCourier(t);
    for (let round = 0; round < 3; round++) answered(await send(courier, deliveryTo(server.url)));
    assert.equal(server.connections(), 1);
  });
}

const CLOSED: readonly (readonly [string, string])[] = [
  ["Connection: close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok"],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  ["a short Keep-Alive", "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\nok"],
  ["bytes that belong to no answer", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200"],
];

for (const [how, text] of CLOSED) {
  test(`a connection is not used again after ${how}`, async (t) => {
    const server = await startSaying(t, text);
    const courier = startCourier(t);
    for (let round = 0; round < 3; round++) {
      const answer = answered(await send(courier, deliveryTo(server.url)));
      assert.equal(Buffer.from(answer.body).toString(), "ok");
      assert.equal(answer.cut, undefined);
    }
    assert.equal(server.connections(), 3);
  });
}

test("without a length the end of the connection is the end of the body", async (t) => {
  const server = await startSaying(t, "HTTP/1.1 200 OK\r\n\r\nall of it", (socket) => socket.end());
  const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
  assert.equal(Buffer.from(answer.body).toString(), "all of it");
  assert.equal(answer.cut, undefined);
});

test("an idle connection that says something is closed, and its words answer nothing", async (t) => {
  const ok = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n";
  const closed = Promise.withResolvers<void>();
  const server = await startRaw(t, (socket, count) => {
    socket.write(ok);
    socket.on("close", () => closed.resolve());
    if (count === 1) setTimeout(() => socket.write("HTTP/1.1 200 OK\r\n\r\n"), 20);
  });
  const courier = startCourier(t);
  assert.equal(answered(await send(courier, deliveryTo(server.url))).status, 201);
  await closed.promise;
  assert.equal(answered(await send(courier, deliveryTo(server.url))).status, 201);
  assert.equal(server.connections(), 2);
});

test("an answer before the whole request is an answer, and ends the connection", async (t) => {
  const server = await startSaying(
    t,
    "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n",
    (socket) => socket.pause(),
  );
  const courier = startCourier(t);
  const body = "x".repeat(8 * 1024 * 1024);
  for (let round = 0; round < 2; round++) {
    assert.equal(answered(await send(courier, deliveryTo(server.url, {}, body))).status, 413);
  }
  assert.equal(server.connections(), 2);
});

test("an idle connection is closed in time, and its origin forgotten", async (t) => {
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  const server = await startSaying(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const courier = startCourier(t, { clock });
  answered(await send(courier, deliveryTo(server.url)));
  assert.equal(courier.openPools, 1);
  aheadMs = 5_000;
  await t.waitFor(() => assert.equal(courier.openPools, 0), { timeout: 10_000 });
});

test("a body of several pieces arrives whole, in order", async (t) => {
  const pieces = Array.from({ length: 50 }, (_, index) => `piece ${index};`);
  const chunked = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join("");
  const server = await startRaw(t, (socket) => {
    const text = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}0\r\nX-End: 1\r\n\r\n`;
    for (let at = 0; at < text.length; at += 7) socket.write(text.slice(at, at + 7));
  });
  const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
  assert.equal(Buffer.from(answer.body).toString(), pieces.join(""));
});

test("an origin that is forgotten while its name is resolved is still reached", async (t) => {
  const server = await startSaying(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const resolved = Promise.withResolvers<void>();
  const courier = startCourier(t, {
    poolsMax: 1,
    lookup: async (host) => {
      if (host === "slow.test") await resolved.promise;
      return ["127.0.0.1"];
    },
  });
  const slow = send(courier, deliveryTo(`http://slow.test:${server.port}/`, { timeoutMs: 3_000 }));
  answered(await send(courier, deliveryTo(`http://quick.test:${server.port}/`)));
  resolved.resolve();
  answered(await slow);
});
