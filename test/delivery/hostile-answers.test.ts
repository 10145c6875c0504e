/** Destinations that try to hurt us with what they answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { ABORTED } from "../../src/delivery/courier.ts";
import { answered, deliveryTo, send, startCourier, unanswered } from "./sending.ts";
import { startHttp, startRaw, startRecorder } from "./server.ts";

const MEGABYTE = 1024 * 1024;

test("an answer of 100 MB is cut at 1 MB, the socket closed, the status kept", async (t) => {
  const closed = Promise.withResolvers<number>();
  const server = await startHttp(t, async (_request, response) => {
    response.on("close", () => closed.resolve(response.socket?.bytesWritten ?? 0));
    response.writeHead(200, { "Content-Length": 100 * MEGABYTE });
    const chunk = Buffer.alloc(MEGABYTE, "x");
    for (let sent = 0; sent < 100 && !response.destroyed; sent++) {
      if (!response.write(chunk)) await Promise.race([once(response, "drain"), closed.promise]);
    }
  });
  const courier = startCourier(t);
  const answer = answered(await send(courier, deliveryTo(server.url)));
  assert.equal(answer.status, 200);
  assert.equal(answer.body.length, MEGABYTE);
  assert.ok((await closed.promise) < 100 * MEGABYTE);
});

test("the cut is at the limit exactly", async (t) => {
  const server = await startHttp(t, (request, response) => {
    response.end(Buffer.alloc(Number(request.url?.slice(1)), "x"));
  });
  const courier = startCourier(t, { responseBodyBytesMax: 1000 });
  for (const [length, kept] of [
    [999, 999],
    [1000, 1000],
    [1001, 1000],
  ] as const) {
    const answer = answered(await send(courier, deliveryTo(`${server.url}/${length}`)));
    assert.equal(answer.body.length, kept);
  }
});

test("an endless drip ends at the deadline, and does not count as an answer", async (t) => {
  let drips = 0;
  const server = await startRaw(t, (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const timer = setInterval(() => {
      drips += 1;
      socket.write("1\r\nx\r\n");
    }, 10);
    socket.on("close", () => clearInterval(timer));
  });
  const outcome = await send(startCourier(t), deliveryTo(server.url, { timeoutMs: 1_500 }));
  assert.deepEqual(unanswered(outcome), {
    kind: "no-answer",
    error: "no complete answer within 1.5 s, the timeout of the message",
    final: false,
  });
  assert.ok(drips > 0);
});

test("silence ends at the deadline", async (t) => {
  const server = await startRaw(t, () => {});
  const outcome = await send(startCourier(t), deliveryTo(server.url, { timeoutMs: 200 }));
  assert.equal(
    unanswered(outcome).error,
    "no complete answer within 0.2 s, the timeout of the message",
  );
});

test("a gzip bomb is kept as it came", async (t) => {
  const bomb = gzipSync(Buffer.alloc(50 * MEGABYTE));
  const server = await startHttp(t, (_request, response) => {
    response.writeHead(200, { "Content-Encoding": "gzip" });
    response.end(bomb);
  });
  const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
  assert.deepEqual(Buffer.from(answer.body), bomb);
});

test("a flood of interim answers is cut short", async (t) => {
  const server = await startRaw(t, (socket) =>
    flood(socket, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"),
  );
  const outcome = unanswered(await send(startCourier(t), deliveryTo(server.url)));
  assert.equal(outcome.error, "too many interim answers");
});

test("a few interim answers are passed over", async (t) => {
  const early = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(3);
  const server = await startRaw(t, (socket) => {
    socket.write(`${early}HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Late: 1\r\n\r\nok`);
  });
  const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.headers, [
    ["Content-Length", "2"],
    ["X-Late", "1"],
  ]);
});

test("headers beyond 16 KB are refused, beyond 256 not kept", async (t) => {
  const manyNames = Array.from({ length: 100_000 }, (_, index) => `x-${index}: y\r\n`).join("");
  const large = await startRaw(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\n${manyNames}\r\n`));
  const outcome = unanswered(await send(startCourier(t), deliveryTo(large.url)));
  assert.equal(outcome.error, "the answer's headers are too large");

  const small = "a: b\r\n".repeat(1000);
  const many = await startRaw(t, (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${small}\r\n`);
  });
  const answer = answered(await send(startCourier(t), deliveryTo(many.url)));
  assert.equal(answer.headers.length, 256);
});

const EARLY_ENDS: readonly (readonly [string, string, (socket: Socket) => void])[] = [
  ["closed", "Content-Length: 100\r\n\r\n0123456789", (socket) => socket.end()],
  [
    "closed while chunked",
    "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789",
    (socket) => socket.end(),
  ],
  ["garbled", "Transfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\nzzz\r\n", () => {}],
];

for (const [how, rest, finish] of EARLY_ENDS) {
  test(`a body that is ${how} after the status keeps the status, and is marked`, async (t) => {
    const server = await startRaw(t, (socket) => {
      socket.write(`HTTP/1.1 202 Accepted\r\n${rest}`, () => finish(socket));
    });
    const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
    assert.equal(answer.status, 202);
    assert.equal(Buffer.from(answer.body).toString(), "0123456789");
    assert.equal(answer.cut, "broken");
  });
}

test("a call that this service ends has no answer, though its status has come", async (t) => {
  const server = await startRaw(t, (socket) => {
    socket.write("HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\n0123456789");
  });
  const courier = startCourier(t);
  const outcome = send(courier, deliveryTo(server.url));
  await t.waitFor(() => assert.equal(server.connections(), 1));
  await courier.close();
  assert.equal(unanswered(await outcome).error, ABORTED);
});

test("a redirect is an answer, and its target is never dialled", async (t) => {
  const target = await startRecorder(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const server = await startHttp(t, (_request, response) => {
      response.writeHead(status, { Location: target.url });
      response.end();
    });
    const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
    assert.equal(answer.status, status);
  }
  assert.equal(target.connections(), 0);
});

test("an upgrade that was not requested is no answer", async (t) => {
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
  const server = await startRaw(t, (socket) => socket.write(upgrade));
  unanswered(await send(startCourier(t), deliveryTo(server.url)));
});

test("bytes after an answer do not become the next answer", async (t) => {
  const stray = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray";
  const server = await startRaw(t, (socket, count) => {
    socket.write(`HTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\n${count}${stray}`);
  });
  const courier = startCourier(t, { connectionsMax: 1 });
  for (let round = 0; round < 5; round++) {
    const outcome = await send(courier, deliveryTo(server.url));
    if (outcome.kind === "answer") assert.equal(outcome.status, 500);
  }
});

function flood(socket: Socket, text: string): void {
  const chunk = text.repeat(100);
  const pour = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", pour);
  pour();
}

test("an answer in very many tiny chunks is cut, the socket closed, the status kept", async (t) => {
  const closed = Promise.withResolvers<void>();
  const server = await startRaw(t, (socket) => {
    socket.on("close", () => closed.resolve());
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    socket.end(`${head}${"1\r\nx\r\n".repeat(500_000)}0\r\n\r\n`);
  });
  const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
  assert.deepEqual([answer.status, answer.cut, answer.body.length], [200, "chunks", 10_000]);
  await closed.promise;
});

test("small chunks are kept while there are few, and larger ones however many there are", async (t) => {
  const server = await startHttp(t, (request, response) => {
    const [, count, bytes] = request.url!.split("/").map(Number);
    for (let chunk = 0; chunk < count!; chunk++) response.write("x".repeat(bytes!));
    response.end();
  });
  const courier = startCourier(t, { responseBodyBytesMax: 4 * MEGABYTE });
  for (const [count, bytes] of [
    [10_000, 1],
    [30_000, 64],
  ] as const) {
    const answer = answered(await send(courier, deliveryTo(`${server.url}/${count}/${bytes}`)));
    assert.deepEqual([answer.cut, answer.body.length], [undefined, count * bytes]);
  }
});
