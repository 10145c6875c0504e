/** Traps of the HTTP client that we use; each has caused a defect. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import { test } from "node:test";
import type { HeaderList } from "../../src/core/model/message/message.ts";
import { answered, deliveryTo, send, startCourier, unanswered } from "./sending.ts";
import { listen, startHttp, startRaw, startRecorder } from "./server.ts";

test("requests whose headers the client rejects do not block the origin", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t, { connectionsMax: 2 });
  const rejected: readonly HeaderList[] = [
    [["Keep-Alive", "timeout=5"]],
    [["Expect", "100-continue"]],
    [["X", "\u{1f600}"]],
    [["Content-Length", "7"]],
    [["Upgrade", "x"]],
    [["bad name", "x"]],
    [["X", "a\r\nb"]],
  ];
  for (let round = 0; round < 5; round++) {
    for (const headers of rejected) {
      assert.ok(unanswered(await send(courier, deliveryTo(server.url, { headers }))).final);
    }
  }
  for (let round = 0; round < 5; round++) answered(await send(courier, deliveryTo(server.url)));
  assert.equal(server.received.length, 5);
});

test("many attempts that fail do not block the origin", async (t) => {
  const server = await startRaw(t, (socket, count) => {
    if (count % 4 === 0) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    else if (count % 4 === 1) socket.resetAndDestroy();
    else if (count % 4 === 2) socket.end("garbage\r\n\r\n");
    else socket.end();
  });
  const courier = startCourier(t, { connectionsMax: 2 });
  let answers = 0;
  for (let round = 0; round < 20; round++) {
    const outcomes = [1, 2, 3, 4].map(() => send(courier, deliveryTo(server.url)));
    for (const outcome of await Promise.all(outcomes)) answers += Number(outcome.kind === "answer");
  }
  assert.equal(answers, 20);
});

test("a request that waits behind a full pool obeys its deadline", async (t) => {
  const arrived = Promise.withResolvers<() => void>();
  const server = await startHttp(t, (request, response) => {
    if (request.url === "/slow") arrived.resolve(() => response.end("late"));
    else response.end("quick");
  });
  const courier = startCourier(t, { connectionsMax: 1 });
  const slow = send(courier, deliveryTo(`${server.url}/slow`));
  const letGo = await arrived.promise;
  const late = await send(courier, deliveryTo(`${server.url}/quick`, { timeoutMs: 100 }));
  assert.equal(
    unanswered(late).error,
    "no complete answer within 0.1 s, the timeout of the message",
  );

  const aborted = courier.send(deliveryTo(`${server.url}/quick`));
  aborted.abort();
  unanswered(await aborted.outcome);

  const next = send(courier, deliveryTo(`${server.url}/quick`));
  letGo();
  assert.equal(Buffer.from(answered(await slow).body).toString(), "late");
  assert.equal(Buffer.from(answered(await next).body).toString(), "quick");
  assert.equal(server.connections(), 1);
});

test("a deadline that passes before the connection stands costs no connection", async (t) => {
  const server = await startRecorder(t);
  const addresses = Promise.withResolvers<string[]>();
  const courier = startCourier(t, { lookup: () => addresses.promise, connectionsMax: 2 });
  const url = `http://slow-name.test:${server.port}/`;
  const first = await send(courier, deliveryTo(url, { timeoutMs: 50 }));
  assert.equal(
    unanswered(first).error,
    "no complete answer within 0.05 s, the timeout of the message",
  );
  const second = send(courier, deliveryTo(url, { messageId: "msg_2" }));
  addresses.resolve(["127.0.0.1"]);
  answered(await second);
  assert.deepEqual(
    server.received.map(({ headers }) => headers["svc-message-id"]),
    ["msg_2"],
  );
});

test("connections that never come to stand do not hold up those that would", async (t) => {
  const https = createHttpsServer(
    { key: certificate("server-key"), cert: certificate("server") },
    (_request, response) => response.end("ok"),
  );
  let connections = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    connections += 1;
    // The first two are a black hole: they take the greeting and say nothing.
    if (connections > 2) https.emit("connection", socket);
    else socket.resume().on("close", () => closed.resolve());
  });
  const { port } = await listen(t, server);
  const courier = startCourier(t, {
    connectionsMax: 2,
    extraAuthorities: [certificate("authority")],
    lookup: () => Promise.resolve(["127.0.0.1"]),
  });
  const url = `https://trusted.test:${port}/`;
  const lost = [1, 2].map(() => send(courier, deliveryTo(url, { timeoutMs: 150 })));
  for (const outcome of await Promise.all(lost)) {
    assert.equal(
      unanswered(outcome).error,
      "no complete answer within 0.15 s, the timeout of the message",
    );
  }
  // Far sooner than the time limit for connecting, which would hold both slots until then.
  assert.equal(answered(await send(courier, deliveryTo(url, { timeoutMs: 5000 }))).status, 200);
  await closed.promise;
});

test("no more connections are opened to an origin than allowed", async (t) => {
  let open = 0;
  let most = 0;
  const server = await startHttp(t, (_request, response) => {
    most = Math.max(most, ++open);
    setImmediate(() => {
      open -= 1;
      response.end();
    });
  });
  const courier = startCourier(t, { connectionsMax: 3 });
  const outcomes = Array.from({ length: 60 }, () => send(courier, deliveryTo(server.url)));
  for (const outcome of await Promise.all(outcomes)) answered(outcome);
  assert.equal(server.connections(), 3);
  assert.ok(most <= 3);
});

test("origins without a connection are forgotten", async (t) => {
  const server = await startHttp(t, (_request, response) => {
    response.writeHead(200, { Connection: "close" });
    response.end();
  });
  const courier = startCourier(t, { lookup: () => Promise.resolve(["127.0.0.1"]) });
  for (let index = 0; index < 50; index++) {
    answered(await send(courier, deliveryTo(`http://h${index}.test:${server.port}/`)));
  }
  await t.waitFor(() => assert.equal(courier.openPools, 0));
  unanswered(await send(courier, deliveryTo("http://127.0.0.1:1/")));
  await t.waitFor(() => assert.equal(courier.openPools, 0));
});

test("idle origins make room for others, and busy ones do not", async (t) => {
  const arrived = Promise.withResolvers<() => void>();
  const server = await startHttp(t, (request, response) => {
    if (request.url === "/slow") arrived.resolve(() => response.end());
    else response.end();
  });
  const courier = startCourier(t, {
    poolsMax: 5,
    lookup: () => Promise.resolve(["127.0.0.1"]),
  });
  const slow = send(courier, deliveryTo(`http://slow.test:${server.port}/slow`));
  const letGo = await arrived.promise;
  for (let index = 0; index < 50; index++) {
    answered(await send(courier, deliveryTo(`http://h${index}.test:${server.port}/`)));
    assert.ok(courier.openPools <= 5);
  }
  letGo();
  answered(await slow);
  await t.waitFor(() => assert.ok(server.open() <= 5));
});

function certificate(name: string): string {
  return readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8");
}
