/** TLS is verified, always. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { test, type TestContext } from "node:test";
import {
  createServer as createTlsServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
} from "node:tls";
import { dial } from "../../src/delivery/http/dial.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { answered, deliveryTo, send, startCourier, unanswered } from "./sending.ts";
import { listen, startHttp, startRaw, type RunningServer } from "./server.ts";

const AUTHORITY = pem("authority");
const toLoopback = { lookup: () => Promise.resolve(["127.0.0.1"]) };

test("a certificate of an added authority is accepted, and the connection used again", async (t) => {
  const server = await startHttps(t);
  const courier = startCourier(t, { ...toLoopback, extraAuthorities: [AUTHORITY] });
  for (let round = 0; round < 5; round++) {
    const answer = answered(
      await send(courier, deliveryTo(`https://trusted.test:${server.port}/`)),
    );
    assert.equal(Buffer.from(answer.body).toString(), "secret");
  }
  assert.ok(server.connections() <= 2);
});

test("a handshake that does not end in time is named, with its limit", async (t) => {
  const server = await startRaw(t, (socket) => void socket.resume());
  const courier = startCourier(t, { ...toLoopback, connectTimeoutMs: 100 });
  const url = `https://trusted.test:${server.port}/`;
  const outcome = unanswered(await send(courier, deliveryTo(url)));
  assert.equal(outcome.error, "no TLS handshake within 0.1 s");
});

test("a connection that does not come to stand in time is named, with its limit", async (t) => {
  const { port } = await startRaw(t, () => undefined);
  const timers: (() => void)[] = [];
  const clock = {
    ...systemClock,
    after(_ms: number, action: () => void): () => void {
      timers.push(action);
      return () => void timers.pop();
    },
  };
  const limits = { timeoutMs: 4_000, limitMs: 10_000 };
  const { signal } = new AbortController();
  const connecting = dial({ address: "127.0.0.1", port, ...limits, clock, signal });
  timers[0]!();
  await assert.rejects(connecting, /^DeliveryError: no connection within 10 s$/);
});

test("authorities that are added take nothing from the usual ones", async (t) => {
  const usual = getCACertificates("default");
  setDefaultCACertificates([AUTHORITY]);
  t.after(() => setDefaultCACertificates(usual));
  const server = await startHttps(t);
  const courier = startCourier(t, { ...toLoopback, extraAuthorities: [usual[0]!] });
  answered(await send(courier, deliveryTo(`https://trusted.test:${server.port}/`)));
});

test("an unknown authority is not", async (t) => {
  const server = await startHttps(t);
  const courier = startCourier(t, toLoopback);
  const outcome = unanswered(
    await send(courier, deliveryTo(`https://trusted.test:${server.port}/`)),
  );
  assert.match(outcome.error, /^TLS certificate /);
  assert.ok(!outcome.final);
});

test("nor is a certificate for another name", async (t) => {
  const server = await startHttps(t);
  const courier = startCourier(t, { ...toLoopback, extraAuthorities: [AUTHORITY] });
  for (const host of ["other.test", "127.0.0.1"]) {
    const outcome = unanswered(await send(courier, deliveryTo(`https://${host}:${server.port}/`)));
    assert.equal(outcome.error, "TLS certificate is for another name");
  }
});

test("no switch of the environment turns verification off", async (t) => {
  const server = await startHttps(t);
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  t.after(() => {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  });
  const courier = startCourier(t, toLoopback);
  unanswered(await send(courier, deliveryTo(`https://trusted.test:${server.port}/`)));
});

test("a server that speaks no TLS is told apart", async (t) => {
  const server = await startRaw(t, (socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  const courier = startCourier(t, toLoopback);
  const outcome = unanswered(await send(courier, deliveryTo(`https://plain.test:${server.port}/`)));
  assert.equal(outcome.error, "TLS handshake failed");
});

test("failed handshakes leave nothing behind", async (t) => {
  const server = await startHttps(t);
  const courier = startCourier(t, toLoopback);
  for (let round = 0; round < 30; round++) {
    unanswered(await send(courier, deliveryTo(`https://trusted.test:${server.port}/`)));
  }
  assert.equal(server.connections(), 30);
  await t.waitFor(() => assert.equal(courier.openPools, 0));
  await t.waitFor(() => assert.equal(server.open(), 0));
});

test("the server is told the name, and a later connection spares half of its handshake", async (t) => {
  const seen: unknown[] = [];
  const server = await startHttps(t, (request, response) => {
    const { servername, alpnProtocol } = request.socket as TLSSocket & { servername: string };
    seen.push([servername, alpnProtocol, (request.socket as TLSSocket).isSessionReused()]);
    response.setHeader("Connection", "close").end();
  });
  const courier = startCourier(t, { ...toLoopback, extraAuthorities: [AUTHORITY] });
  const url = `https://trusted.test:${server.port}/`;
  for (let round = 0; round < 3; round++) answered(await send(courier, deliveryTo(url)));
  assert.deepEqual(seen, [
    ["trusted.test", "http/1.1", false],
    ["trusted.test", "http/1.1", true],
    ["trusted.test", "http/1.1", true],
  ]);
});

test("the dot at the end of a name is not told to the server", async (t) => {
  const seen: unknown[] = [];
  const server = await startHttps(t, ({ socket, headers }, response) => {
    seen.push((socket as TLSSocket & { servername: string }).servername, headers.host);
    response.end();
  });
  const courier = startCourier(t, { ...toLoopback, extraAuthorities: [AUTHORITY] });
  const { port } = server;
  answered(await send(courier, deliveryTo(`https://trusted.test.:${port}/`)));
  assert.deepEqual(seen, ["trusted.test", `trusted.test.:${port}`]);
});

test("a handshake that the server asks for after the first is refused", async (t) => {
  const own = { cert: pem("server"), key: pem("server-key"), maxVersion: "TLSv1.2" } as const;
  const second = Promise.withResolvers<"made" | "refused">();
  const secured = createTlsServer(own, (socket) => {
    socket.on("error", () => second.resolve("refused"));
    socket.once("data", () => {
      socket.renegotiate({}, (error) => second.resolve(error === null ? "made" : "refused"));
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
  });
  const server = await listen(t, secured);
  const courier = startCourier(t, { ...toLoopback, extraAuthorities: [AUTHORITY] });
  const url = `https://trusted.test:${server.port}/`;
  assert.equal(answered(await send(courier, deliveryTo(url))).status, 200);
  assert.equal(await second.promise, "refused");
});

test("an answer may take longer than connecting may, with TLS and without", async (t) => {
  for (const start of [startHttps, startHttp]) {
    const arrived = Promise.withResolvers<ServerResponse>();
    const server = await start(t, (_request, response) => arrived.resolve(response));
    const clock = new ManualClock();
    const limits = { clock, connectTimeoutMs: 1_000, extraAuthorities: [AUTHORITY] };
    const courier = startCourier(t, { ...toLoopback, ...limits });
    const scheme = start === startHttps ? "https" : "http";
    const url = `${scheme}://trusted.test:${server.port}/`;
    const outcome = send(courier, deliveryTo(url, { timeoutMs: 60_000 }));
    const response = await arrived.promise;
    clock.advance(59_999);
    response.end("late");
    assert.equal(Buffer.from(answered(await outcome).body).toString(), "late", scheme);
  }
});

async function startHttps(
  t: TestContext,
  answer: RequestListener = (_request, response) => response.end("secret"),
): Promise<RunningServer> {
  const options = { key: pem("server-key"), cert: pem("server") };
  return listen(t, createServer(options, answer));
}

function pem(name: string): string {
  return readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8");
}
