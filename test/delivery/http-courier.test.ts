import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { ABORTED } from "../../src/delivery/courier.ts";
import {
  answered,
  deliveryTo,
  messageTo,
  send,
  SIGNING_KEY,
  startCourier,
  unanswered,
} from "./sending.ts";
import { listen, startHttp, startRaw, startRecorder } from "./server.ts";

test("a delivery arrives with the publisher's headers, then ours", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t);
  const message = messageTo(`${server.url}/path/?q=1#part`, {
    method: "PUT",
    headers: [
      ["Content-Type", "application/json"],
      ["X-Twice", "one"],
      ["X-Twice", "two"],
    ],
    urlGroup: "grüße",
    scheduleId: "scd_1",
    hops: 2,
  });
  const body = Buffer.from([0, 255, 128, 13, 10]);
  const outcome = await send(courier, { message, body, retried: 4, signingKey: SIGNING_KEY });

  assert.equal(answered(outcome).status, 200);
  assert.equal(Buffer.from(answered(outcome).body).toString(), "ok");
  const [request] = server.received;
  assert.ok(request);
  assert.equal(request.method, "PUT");
  assert.equal(request.path, "/path/?q=1");
  assert.deepEqual(request.body, body);
  const sent = request.rawHeaders.filter((_, index) => index % 2 === 0);
  const theirs = "host connection Content-Type X-Twice X-Twice User-Agent";
  const ours = "Svc-Signature Svc-Message-Id Svc-Retried Svc-Caller-Ip Svc-Region Svc-Hop";
  const optional = "Svc-Topic-Name Svc-Schedule-Id content-length";
  assert.equal(sent.join(" "), `${theirs} ${ours} ${optional}`);
  const { headers } = request;
  assert.equal(headers["user-agent"], "Postrider");
  assert.equal(headers["svc-message-id"], "msg_1");
  assert.equal(headers["svc-retried"], "4");
  assert.equal(headers["svc-caller-ip"], "203.0.113.9");
  assert.equal(headers["svc-region"], "TEST-1");
  assert.equal(headers["svc-hop"], "3");
  assert.equal(headers["svc-topic-name"], "gr\xfc\xdfe");
  assert.equal(headers["svc-schedule-id"], "scd_1");
  assert.equal(headers["content-length"], "5");
});

test("the other dialect has its own names, and a forwarded User-Agent wins", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t);
  await send(courier, deliveryTo(server.url, { dialect: "upstash" }));
  const headers = [["user-agent", "mine"]] as const;
  await send(courier, deliveryTo(server.url, { dialect: "upstash", headers }));
  assert.equal(server.received[0]?.headers["user-agent"], "Upstash-QStash");
  assert.equal(server.received[0]?.headers["upstash-hop"], "1");
  assert.equal(server.received[0]?.headers["svc-hop"], undefined);
  assert.equal(server.received[1]?.headers["user-agent"], "mine");
});

test("ours win over a stored header of the same name", async (t) => {
  const server = await startRecorder(t);
  const headers = [
    ["SVC-Signature", "forged"],
    ["svc-message-id", "forged"],
    ["Svc-Workflow-RunId", "wfr_1"],
  ] as const;
  await send(startCourier(t), deliveryTo(server.url, { headers }));
  const [request] = server.received;
  assert.ok(!request?.rawHeaders.includes("forged"));
  assert.equal(request?.headers["svc-workflow-runid"], "wfr_1");
});

test("a GET carries its body, and none when it is empty", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t);
  for (const body of ["hello", ""]) {
    answered(await send(courier, deliveryTo(server.url, { method: "GET" }, body)));
  }
  assert.equal(server.received[0]?.body.toString(), "hello");
  assert.equal(server.received[0]?.headers["content-length"], "5");
  assert.equal(server.received[1]?.headers["content-length"], undefined);
});

test("the answer keeps its headers as they were written", async (t) => {
  const server = await startHttp(t, (_request, response) => {
    response.writeHead(503, ["Retry-After", "7", "X-Two", "a", "X-Two", "b", "X-Latin", "\xe9"]);
    response.end(Buffer.from([0, 1, 2]));
  });
  const answer = answered(await send(startCourier(t), deliveryTo(server.url)));
  assert.equal(answer.status, 503);
  assert.deepEqual(answer.headers.slice(0, 4), [
    ["Retry-After", "7"],
    ["X-Two", "a"],
    ["X-Two", "b"],
    ["X-Latin", "\xe9"],
  ]);
  assert.deepEqual([...answer.body], [0, 1, 2]);
  assert.equal(answer.body.buffer.byteLength, 3);
});

test("connections are used again", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t);
  for (let round = 0; round < 20; round++) answered(await send(courier, deliveryTo(server.url)));
  assert.equal(server.received.length, 20);
  assert.ok(server.connections() <= 3, `${server.connections()} connections`);
});

test("what the network says comes back in words", async (t) => {
  const courier = startCourier(t, {
    lookup: (host) => Promise.reject(Object.assign(new Error(host), { code: "ENOTFOUND" })),
  });
  const closedServer = createServer();
  const { port } = await listen(t, closedServer);
  closedServer.close();
  const refused = unanswered(await send(courier, deliveryTo(`http://127.0.0.1:${port}/`)));
  assert.deepEqual(refused, { kind: "no-answer", error: "connection refused", final: false });
  const unknown = unanswered(await send(courier, deliveryTo("http://no.such.test/")));
  assert.deepEqual(unknown, { kind: "no-answer", error: "no such host", final: false });

  const resetting = await startRaw(t, (socket) => socket.resetAndDestroy());
  assert.match(
    unanswered(await send(courier, deliveryTo(resetting.url))).error,
    /^connection reset$/,
  );
  const closing = await startRaw(t, (socket) => socket.end());
  assert.match(
    unanswered(await send(courier, deliveryTo(closing.url))).error,
    /closed before an answer/,
  );
  const babbling = await startRaw(t, (socket) => socket.end("SSH-2.0-x\r\n\r\n"));
  assert.match(unanswered(await send(courier, deliveryTo(babbling.url))).error, /not valid HTTP/);
});

test("an abort ends the call at once", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const server = await startHttp(t, () => arrived.resolve());
  const courier = startCourier(t);
  const sending = courier.send(deliveryTo(server.url));
  await arrived.promise;
  sending.abort();
  const outcome = unanswered(await sending.outcome);
  assert.deepEqual(outcome, { kind: "no-answer", error: ABORTED, final: false });
});

test("close ends what is under way, waiting or yet to come", async (t) => {
  const arrived = Promise.withResolvers<void>();
  const server = await startHttp(t, () => arrived.resolve());
  const courier = startCourier(t, { connectionsMax: 1 });
  const outcomes = [send(courier, deliveryTo(server.url)), send(courier, deliveryTo(server.url))];
  await arrived.promise;
  await courier.close();
  outcomes.push(send(courier, deliveryTo(server.url)));
  for (const outcome of await Promise.all(outcomes))
    assert.equal(unanswered(outcome).error, ABORTED);
  assert.equal(server.connections(), 1);
});

test("a destination or a header that cannot be sent is final, and nothing is sent", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t);
  const bad = unanswered(await send(courier, deliveryTo("ftp://x/")));
  assert.match(bad.error, /invalid scheme/);
  assert.ok(bad.final);
  const headers = [["Transfer-Encoding", "chunked"]] as const;
  const unsafe = unanswered(await send(courier, deliveryTo(server.url, { headers })));
  assert.match(unsafe.error, /Transfer-Encoding/);
  assert.ok(unsafe.final);
  assert.equal(server.connections(), 0);
});

test("proxy settings of the environment are ignored", async (t) => {
  const server = await startRecorder(t);
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
  const before = names.map((name) => [name, process.env[name]] as const);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  for (const name of names) process.env[name] = "http://127.0.0.1:9";
  assert.equal(answered(await send(startCourier(t), deliveryTo(server.url))).status, 200);
});
