import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import {
  ask,
  connectTo,
  get,
  LIMITS,
  say,
  startApiServer,
} from "../../../../test/support/api-server.ts";
import { until } from "../../../../test/support/eventually.ts";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { nextTurn } from "../../../platform/turn.ts";
import { HEADERS_MAX } from "../../../wire/headers/header-object.ts";
import { ConnectionLimit } from "../limits/connection-limit.ts";
import { READ_IDLE_MS_MAX } from "../limits/slow-reader.ts";
import type { Api } from "./call.ts";
import { REQUESTS_AT_ONCE_MAX } from "./connection.ts";
import { ApiServer, HEAD_TIMES } from "./server.ts";

/** Counts the connections that the server holds. */
class OpenConnections extends ConnectionLimit {
  open = 0;
  override connected = (): (() => void) => {
    this.open += 1;
    return () => (this.open -= 1);
  };
}

test("a refused connection is gone after a moment, although its client keeps it open", async (t) => {
  const connections = new OpenConnections([], LIMITS);
  const { clock, port } = await startApiServer(t, connections);
  assert.match(await say(t, port, "NONSENSE\r\n\r\n"), /^HTTP\/1\.1 400 /);
  clock.advance(1_999);
  await nextTurn();
  assert.equal(connections.open, 1);
  clock.advance(1);
  await until(() => connections.open === 0, "it is gone");
});

test("a refused connection on which more comes is gone at once", async (t) => {
  const connections = new OpenConnections([], LIMITS);
  const { clock, port } = await startApiServer(t, connections);
  const socket = await connectTo(t, port);
  assert.match(await ask(socket, "NONSENSE\r\n\r\n"), /^HTTP\/1\.1 400 /);
  socket.write("NONSENSE\r\n\r\n");
  await until(() => connections.open === 0, "it is gone");
  assert.equal(clock.alarmCount, 0);
});

test("a refused connection that its client closes leaves no timer", async (t) => {
  const connections = new OpenConnections([], LIMITS);
  const { clock, port } = await startApiServer(t, connections);
  const socket = await connectTo(t, port);
  assert.match(await ask(socket, "NONSENSE\r\n\r\n"), /^HTTP\/1\.1 400 /);
  assert.equal(clock.alarmCount, 1);
  socket.destroy();
  await until(() => connections.open === 0, "it is gone");
  assert.equal(clock.alarmCount, 0);
});

test("what is not HTTP gets one complete answer", async (t) => {
  const { port } = await startApiServer(t);
  const [head = "", body = ""] = (await say(t, port, "NONSENSE\r\n\r\n")).split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
  assert.match(head, /\r\nConnection: close(\r\n|$)/);
  assert.match(head, new RegExp(`\\r\\nContent-Length: ${body.length}\\r\\n`));
  const names = head.split("\r\n").map((line) => line.split(":")[0]);
  const all = ["Content-Type", "Content-Length", "Cache-Control", "X-Content-Type-Options"];
  assert.deepEqual(names.slice(1), [...all, "Connection"]);
  const problem = { error: "the request is not valid HTTP/1.1", code: "invalid-request" };
  assert.deepEqual(JSON.parse(body), problem);
});

const TUNNEL = "CONNECT here:80 HTTP/1.1\r\nHost: here\r\n\r\n";

test("a client that asks for a tunnel and resets its connection harms no other", async (t) => {
  const connections = new OpenConnections([], LIMITS);
  const { port } = await startApiServer(t, connections);
  for (let tries = 0; tries < 10; tries++) {
    const socket = await connectTo(t, port);
    socket.write(TUNNEL);
    socket.resetAndDestroy();
  }
  await until(() => connections.open === 0, "all are gone");
  assert.match(await ask(await connectTo(t, port), get("/quick")), /^HTTP\/1\.1 200 /);
});

test("a tunnel is refused after the answers to the requests before it", async (t) => {
  const { port, held } = await startApiServer(t);
  const socket = await connectTo(t, port);
  socket.write(get("/held") + TUNNEL);
  const said = text(socket);
  await until(() => held.length === 1, "the request is handled");
  for (const answer of held) answer();
  assert.deepEqual((await said).match(/(?<=HTTP\/1\.1 )\d+/g), ["200", "400"]);
});

const filled = (bytes: number): string => get(`/quick?${"x".repeat(bytes)}`);

test("a head may have 64 KiB, and a larger one is told so", async (t) => {
  const { port } = await startApiServer(t);
  assert.match(await ask(await connectTo(t, port), filled(65_400)), /^HTTP\/1\.1 200 /);
  const refused = await say(t, port, filled(65_570));
  assert.match(refused, /^HTTP\/1\.1 431 [^]*"code":"headers-too-large"/);
});

test("every header is read, and a missing host is refused in words", async (t) => {
  const { port } = await startApiServer(t);
  const many = Array.from({ length: 50 }, (_, index) => `X-${index}: a\r\n`).join("");
  const late = `GET /quick HTTP/1.1\r\n${many}Host: here\r\n\r\n`;
  assert.match(await ask(await connectTo(t, port), late), /^HTTP\/1\.1 200 /);
  const none = await ask(await connectTo(t, port), "GET /quick HTTP/1.1\r\n\r\n");
  assert.match(none, /^HTTP\/1\.1 400 [^]*Host: is missing/);
});

test("of a head with very many headers no more are kept than tell that they are too many", async (t) => {
  const kept: number[] = [];
  class Watched extends ConnectionLimit {
    override requested({ rawHeaders }: IncomingMessage): () => void {
      kept.push(rawHeaders.length / 2);
      return () => undefined;
    }
  }
  const { port } = await startApiServer(t, new Watched([], LIMITS));
  for (const [count, status] of [
    [HEADERS_MAX, 200],
    [HEADERS_MAX + 1, 431],
    [5_000, 431],
  ]) {
    const more = "X:\r\n".repeat(count! - 1);
    const head = `GET /quick HTTP/1.1\r\n${more}Host: here\r\n\r\n`;
    const answer = await ask(await connectTo(t, port), head);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `${count} headers`);
  }
  assert.deepEqual(kept.slice(0, 2), [HEADERS_MAX, HEADERS_MAX + 1]);
  // Some versions of Node refuse the head themselves.
  assert.ok((kept[2] ?? 0) < 2 * HEADERS_MAX, `${kept[2]} are kept`);
});

test("an idle connection is kept for 65 seconds, longer than balancers keep theirs", async (t) => {
  const { port } = await startApiServer(t);
  const answer = await ask(await connectTo(t, port), get("/quick"));
  assert.match(answer, /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n/);
});

test("an answer in progress is not followed by a refusal", async (t) => {
  const { port, held } = await startApiServer(t);
  const socket = await connectTo(t, port);
  assert.match(await ask(socket, get("/live")), /^HTTP\/1\.1 200 /);
  socket.write("NONSENSE\r\n\r\n");
  assert.doesNotMatch(await text(socket), /HTTP\/1\.1/);
  for (const end of held) end();
});

const waiting = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`;

test("a sender that waits is told to go on when its body is wanted, and not before", async (t) => {
  const { port } = await startApiServer(t);
  const socket = await connectTo(t, port);
  assert.equal(await ask(socket, waiting("/body")), "HTTP/1.1 100 Continue\r\n\r\n");
  assert.match(await ask(socket, "abc"), /^HTTP\/1\.1 200 [^]*\{"length":3\}$/);
  assert.match(await say(t, port, waiting("/elsewhere")), /^HTTP\/1\.1 404 /);
});

/** Times that a test can wait for. */
const SOON = { headMsMax: 100, checkEveryMs: 10 };

test("a head that does not come in time is refused, and a body may take longer", async (t) => {
  const { port } = await startApiServer(t, undefined, SOON);
  const slow = await connectTo(t, port);
  assert.equal(await ask(slow, waiting("/body")), "HTTP/1.1 100 Continue\r\n\r\n");
  for (const begun of ["", "GET", "GET /quick HTTP/1.1\r\nHost: here\r\n"]) {
    const refused = await say(t, port, begun);
    assert.match(refused, /^HTTP\/1\.1 408 Request Timeout\r\n[^]*"code":"request-timeout"/);
  }
  assert.match(await ask(slow, "abc"), /^HTTP\/1\.1 200 [^]*\{"length":3\}$/);
});

test("a head may take as long as the guide says", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/limits.md", import.meta.url), "utf8");
  const { headMsMax, checkEveryMs } = HEAD_TIMES;
  const [least, most] = [headMsMax, headMsMax + checkEveryMs].map((ms) => ms / 1_000);
  const row = `| a request whose headers are not complete | \`408\` after ${least} to ${most} seconds |`;
  assert.ok(guide.replaceAll(/ +/g, " ").includes(row), row);
});

test("a body that stalls is refused", async (t) => {
  const { clock, port, uploads } = await startApiServer(t);
  uploads.start();
  const socket = await connectTo(t, port);
  await ask(socket, waiting("/body"));
  clock.advance(30_000);
  const said = once(socket, "data");
  clock.advance(5_000);
  const refusal = /^HTTP\/1\.1 408 [^]*"the body arrives too slowly"[^]*"request-timeout"/;
  assert.match(String(await said), refusal);
});

test("a connection too many is told so, and no request on it is answered", async (t) => {
  const { port, held } = await startApiServer(t, new ConnectionLimit([], { ...LIMITS, inAll: 0 }));
  const answer = await say(t, port, get("/held"));
  assert.match(answer, /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*too many connections/);
  assert.equal(answer.match(/HTTP\/1\.1/g)?.length, 1);
  assert.equal(held.length, 0);
});

test("of the connections too many a few are told so, and more are closed without a word", async (t) => {
  const connections = new ConnectionLimit([], { ...LIMITS, inAll: 1 });
  const { clock, port } = await startApiServer(t, connections);
  const admitted = await connectTo(t, port);
  assert.match(await ask(admitted, get("/quick")), /^HTTP\/1\.1 200 /);
  for (let told = 0; told < connections.refusedMax; told++) {
    assert.match(await say(t, port, ""), /^HTTP\/1\.1 503 /);
  }
  const silent = await connectTo(t, port);
  assert.equal(await text(silent).catch(() => ""), "");
  assert.match(await ask(admitted, get("/quick")), /^HTTP\/1\.1 200 /);
  clock.advance(2_000);
  const isTold = async (): Promise<boolean> => (await say(t, port, "")).startsWith("HTTP/1.1 503 ");
  await until(() => isTold().catch(() => false), "those that were told are gone");
});

test("a client that closes its side gets the answers to what it has sent, and then the end", async (t) => {
  const { port, held } = await startApiServer(t);
  const socket = await connectTo(t, port);
  socket.end(get("/held") + get("/held"));
  const said = text(socket);
  await until(() => held.length === 2, "both are handled");
  await serverHasSeenTheEnd(t, port);
  for (const answer of held) answer();
  assert.deepEqual((await said).match(/(?<=HTTP\/1\.1 )\d+/g), ["200", "200"]);
});

test("a client that closes its side and reads nothing loses its connection", async (t) => {
  const connections = new OpenConnections([], LIMITS);
  const { clock, port, unread } = await startApiServer(t, connections);
  const socket = await connectTo(t, port);
  socket.end(get("/large"));
  await until(() => unread.bytes > 0 && clock.alarmCount > 0, "its answer waits to be read");
  clock.advance(READ_IDLE_MS_MAX);
  await until(() => connections.open === 0, "it is gone");
  assert.equal(unread.bytes, 0);
});

test("requests past the limit of a connection are not handled, and the first is told why", async (t) => {
  const { port, held } = await startApiServer(t);
  const socket = await connectTo(t, port);
  socket.write(get("/held").repeat(REQUESTS_AT_ONCE_MAX + 2));
  const said = text(socket);
  await until(() => held.length === REQUESTS_AT_ONCE_MAX, "all that may are handled");
  for (const answer of held) answer();
  const statuses = (await said).match(/(?<=HTTP\/1\.1 )\d+/g);
  assert.deepEqual(statuses, [...Array<string>(REQUESTS_AT_ONCE_MAX).fill("200"), "429"]);
  assert.equal(held.length, REQUESTS_AT_ONCE_MAX);
});

test("as many ports are tried as it is told", async (t) => {
  const { server, port, next } = await twoTaken(t);
  const taken = { code: "EADDRINUSE" };
  await assert.rejects(server.listen(port, "127.0.0.1", 1), taken);
  await assert.rejects(server.listen(port, "127.0.0.1", 2), taken);
  next.close();
  await once(next, "close");
  assert.equal(await server.listen(port, "127.0.0.1", 2), port + 1);
});

/** What a connection of its own is answered after the end of another was sent, comes after it. */
async function serverHasSeenTheEnd(t: TestContext, port: number): Promise<void> {
  assert.match(await ask(await connectTo(t, port), get("/quick")), /^HTTP\/1\.1 200 /);
}

/** A server that does not listen yet, and two ports in a row that others have. */
async function twoTaken(t: TestContext) {
  const connections = new ConnectionLimit([], LIMITS);
  const server = new ApiServer({ clock: new ManualClock(), connections } as unknown as Api, []);
  t.after(() => server.close());
  for (;;) {
    const one = createServer().listen(0, "127.0.0.1");
    t.after(() => one.close());
    await once(one, "listening");
    const { port } = one.address() as AddressInfo;
    const next = createServer();
    t.after(() => next.close());
    const isFree = await new Promise((resolve) => {
      next.once("error", () => resolve(false)).listen(port + 1, "127.0.0.1", () => resolve(true));
    });
    if (isFree) return { server, port, next };
  }
}
