/** With an egress proxy nothing leaves by another way, and what goes wrong there says so. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { type EgressProxy, parseEgressProxy } from "../../src/core/policy/egress/egress.ts";
import { ConnectProxy } from "../support/connect-proxy.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { answered, deliveryTo, policy, send, startCourier, unanswered } from "./sending.ts";
import { listen, startHttp, startRaw, startRecorder, type RunningServer } from "./server.ts";

const AUTHORITY = pem("authority");

test("a delivery goes through the tunnel, and its connection is used again", async (t) => {
  const [server, proxy] = [await startRecorder(t), await startProxy(t)];
  const courier = startCourier(t, { proxy: through(proxy), lookup: refuseLookup });
  for (let round = 0; round < 5; round++) {
    const url = `http://far.test:${server.port}/a?b=1`;
    assert.equal(answered(await send(courier, deliveryTo(url, {}, "hello"))).status, 200);
  }
  assert.equal(server.received[0]?.path, "/a?b=1");
  assert.equal(server.received[0]?.headers["host"], `far.test:${server.port}`);
  assert.equal(server.received[0]?.body.toString(), "hello");
  assert.equal(server.received[0]?.headers["proxy-authorization"], undefined);
  assert.ok(proxy.asked.length <= 2);
  assert.equal(proxy.asked[0]?.authority, `far.test:${server.port}`);
  assert.deepEqual(proxy.others, []);
});

test("the ports of the schemes are named, and credentials only to the proxy", async (t) => {
  const proxy = await startProxy(t);
  proxy.reaction = "refuse";
  const courier = startCourier(t, { proxy: through(proxy, "me:p%40ss@"), lookup: refuseLookup });
  for (const url of ["http://far.test/", "https://far.test/", "http://[2606:4700::1]/"]) {
    const { error, final } = unanswered(await send(courier, deliveryTo(url)));
    assert.equal(error, "egress proxy: it refused to connect (403)");
    assert.ok(!final);
  }
  const authorities = proxy.asked.map(({ authority }) => authority);
  assert.deepEqual(authorities, ["far.test:80", "far.test:443", "[2606:4700::1]:80"]);
  const expected = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
  for (const { authorization } of proxy.asked) assert.equal(authorization, expected);
});

test("TLS with the destination is verified at its own name", async (t) => {
  const [server, proxy] = [await startHttps(t), await startProxy(t)];
  const trusting = { proxy: through(proxy), extraAuthorities: [AUTHORITY], lookup: refuseLookup };
  const url = `https://trusted.test:${server.port}/`;
  const answer = answered(await send(startCourier(t, trusting), deliveryTo(url)));
  assert.equal(Buffer.from(answer.body).toString(), "secret");

  const other = `https://other.test:${server.port}/`;
  const wrongName = unanswered(await send(startCourier(t, trusting), deliveryTo(other)));
  assert.equal(wrongName.error, "TLS certificate is for another name");
  const distrusting = startCourier(t, { proxy: through(proxy), lookup: refuseLookup });
  assert.match(unanswered(await send(distrusting, deliveryTo(url))).error, /^TLS certificate /);
});

test("the proxy itself may speak TLS, and is verified then", async (t) => {
  const server = await startHttps(t);
  const options = { key: pem("server-key"), cert: pem("server") };
  const proxy = await startProxy(t, (onRequest) => createHttpsServer(options, onRequest));
  const url = `https://trusted.test:${server.port}/`;
  const proxied = {
    proxy: parseEgressProxy(`https://trusted.test:${proxy.port}`)!,
    lookup: () => Promise.resolve(["127.0.0.1"]),
  };
  const courier = startCourier(t, { ...proxied, extraAuthorities: [AUTHORITY] });
  assert.equal(answered(await send(courier, deliveryTo(url))).status, 200);
  assert.equal(proxy.asked.length, 1);

  const distrusting = startCourier(t, proxied);
  const { error } = unanswered(await send(distrusting, deliveryTo(url)));
  assert.match(error, /^egress proxy: TLS certificate /);
  assert.equal(proxy.asked.length, 1);
});

test("the next address of a proxy is dialled when one does not answer", async (t) => {
  const [server, proxy] = [await startRecorder(t), await startProxy(t)];
  const named = parseEgressProxy(`http://proxy.test:${proxy.port}`)!;
  const courier = startCourier(t, {
    proxy: named,
    // Nothing listens at the first.
    lookup: () => Promise.resolve(["127.255.255.254", "127.0.0.1"]),
  });
  const url = `http://far.test:${server.port}/`;
  assert.equal(answered(await send(courier, deliveryTo(url))).status, 200);
});

test("addresses and names that lead nowhere good are refused without asking", async (t) => {
  const proxy = await startProxy(t);
  const courier = startCourier(t, { proxy: through(proxy), policy: policy("serve") });
  const hosts = ["10.0.0.1", "127.0.0.1", "169.254.169.254", "[::1]", "localhost", "2130706433"];
  for (const host of [...hosts, "metadata.google.internal", "x.localhost"]) {
    const outcome = unanswered(await send(courier, deliveryTo(`http://${host}/`)));
    assert.deepEqual(outcome, {
      kind: "no-answer",
      error: "destination not allowed (see --egress-allow)",
      final: true,
    });
  }
  assert.deepEqual(proxy.asked, []);
});

test("a proxy that fails is a failed attempt with its own words", async (t) => {
  const proxy = await startProxy(t);
  const courier = startCourier(t, {
    proxy: through(proxy),
    lookup: refuseLookup,
    connectTimeoutMs: 400,
  });
  const words = {
    "hang up": "egress proxy: connection closed before an answer",
    babble: "egress proxy: the answer is not valid HTTP",
    silent: "egress proxy: no answer to CONNECT within 0.4 s",
  } as const;
  for (const [reaction, error] of Object.entries(words)) {
    proxy.reaction = reaction as keyof typeof words;
    const outcome = unanswered(await send(courier, deliveryTo("http://far.test/")));
    assert.deepEqual(outcome, { kind: "no-answer", error, final: false });
  }
  await proxy.close();
  const down = unanswered(await send(courier, deliveryTo("http://far.test/")));
  assert.equal(down.error, "egress proxy: connection refused");
});

test("the answer of a proxy may come byte by byte, and not be endless", async (t) => {
  let answer = "HTTP/1.1 200 OK\r\nVia: x\r\n\r\n";
  const proxy = await startRaw(t, (socket, count) => {
    if (count === 2) socket.end("HTTP/1.1 201 Created\r\nconnection: close\r\n\r\n");
    else void writeSlowly(socket, answer);
  });
  const courier = startCourier(t, { proxy: through(proxy), lookup: refuseLookup });
  const sendFar = () => send(courier, deliveryTo("http://far.test/"));
  assert.equal(answered(await sendFar()).status, 201);
  answer = "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
  const refused = "egress proxy: it does not accept our credentials (407)";
  assert.equal(unanswered(await sendFar()).error, refused);
  answer = `HTTP/1.1 200 OK\r\nVia: ${"x".repeat(16 * 1024)}`;
  assert.equal(unanswered(await sendFar()).error, "egress proxy: the answer is not valid HTTP");
  await t.waitFor(() => assert.equal(proxy.open(), 0));
});

test("a destination that the proxy cannot reach is told apart from the proxy", async (t) => {
  const proxy = await startProxy(t);
  const courier = startCourier(t, { proxy: through(proxy), lookup: refuseLookup });
  // Nothing listens there.
  const { error } = unanswered(await send(courier, deliveryTo("http://far.test:1/")));
  assert.equal(error, "egress proxy: it refused to connect (502)");
});

test("the deadline of a message holds while a proxy is silent, and nothing stays open", async (t) => {
  const proxy = await startProxy(t);
  proxy.reaction = "silent";
  const courier = startCourier(t, {
    proxy: through(proxy),
    lookup: refuseLookup,
    connectTimeoutMs: 300,
  });
  const late = await send(courier, deliveryTo("http://far.test/", { timeoutMs: 20 }));
  assert.equal(
    unanswered(late).error,
    "no complete answer within 0.02 s, the timeout of the message",
  );
  await t.waitFor(() => assert.equal(courier.openPools, 0));
});

/** The first bytes one at a time, each in a packet of its own. */
test("an answer may take longer than the tunnel to it may", async (t) => {
  const proxy = await startProxy(t);
  const arrived = Promise.withResolvers<ServerResponse>();
  const server = await startHttp(t, (_request, response) => arrived.resolve(response));
  const clock = new ManualClock();
  const limits = { clock, connectTimeoutMs: 1_000, lookup: refuseLookup };
  const courier = startCourier(t, { proxy: through(proxy), ...limits });
  const url = `http://far.test:${server.port}/`;
  const outcome = send(courier, deliveryTo(url, { timeoutMs: 60_000 }));
  const response = await arrived.promise;
  clock.advance(59_999);
  response.end("late");
  assert.equal(Buffer.from(answered(await outcome).body).toString(), "late");
});

async function writeSlowly(socket: Socket, text: string): Promise<void> {
  socket.setNoDelay();
  for (const byte of text.slice(0, 100)) {
    socket.write(byte);
    await turn();
  }
  socket.write(text.slice(100));
}

/** An address needs no look-up, and names are for the proxy to resolve. */
function refuseLookup(host: string): Promise<readonly string[]> {
  return host === "127.0.0.1" ? Promise.resolve([host]) : Promise.reject(new Error(host));
}

function through({ port }: { readonly port: number }, credentials = ""): EgressProxy {
  return parseEgressProxy(`http://${credentials}127.0.0.1:${port}`)!;
}

async function startProxy(
  t: TestContext,
  make?: Parameters<typeof ConnectProxy.start>[0],
): Promise<ConnectProxy> {
  const proxy = await ConnectProxy.start(make);
  t.after(() => proxy.close());
  return proxy;
}

function startHttps(t: TestContext): Promise<RunningServer> {
  const options = { key: pem("server-key"), cert: pem("server") };
  return listen(
    t,
    createHttpsServer(options, (_request, response) => response.end("secret")),
  );
}

function pem(name: string): string {
  return readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8");
}
