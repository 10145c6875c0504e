import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { Problem } from "../../../core/problem.ts";
import { createIds } from "../../../platform/ids.ts";
import { json } from "../answers/answer.ts";
import { ConnectionLimit } from "../limits/connection-limit.ts";
import { RefusalCounts } from "../answers/problem-answer.ts";
import { UnreadAnswers } from "../limits/unread-answers.ts";
import type { Api, Route, ServicePhase } from "./call.ts";
import { ApiServer } from "./server.ts";

const ROWS = { says: "", title: "", answers: {} };
const GOOD = "good token";

/** A server with a few routes, whose only account has one token. */
async function start(t: TestContext, phase: ServicePhase = "ready") {
  const clock = new ManualClock();
  const started = Promise.withResolvers<void>();
  const refusals = new RefusalCounts();
  const logged: unknown[] = [];
  const bursts: string[] = [];
  const weights: number[] = [];
  /** Whether the turns of the next requests come. */
  const turns: Promise<boolean>[] = [];
  const move = { isStandingStill: false };
  const access = { account: { accountId: "account" }, isReadOnly: false };
  const api = {
    clock,
    refusals,
    phase: () => phase,
    started: started.promise,
    ids: createIds(),
    log: { error: (event: string) => logged.push(event) },
    connections: new ConnectionLimit([], { inAll: 100, ofAddress: 100 }),
    unread: new UnreadAnswers(),
    callerIp: () => "127.0.0.1",
    requireCaller: () => undefined,
    takesTokenInQuery: false,
    failedTokens: { spend: () => undefined },
    accounts: { access: (token: string) => (token === GOOD ? access : null) },
    burstLimit: { count: ({ accountId }: { accountId: string }) => bursts.push(accountId) },
    context: {
      isStandingStill: () => move.isStandingStill,
      turns: {
        enter: (_id: string, weight: number, isAnswered: boolean) => {
          weights.push(weight);
          return isAnswered ? (turns.shift() ?? null) : null;
        },
      },
    },
  } as unknown as Api;
  const routes = [
    { method: "GET", path: "/open", needs: "open", handler: () => json(200, { ok: true }) },
    { method: "GET", path: "/defect", needs: "open", handler: () => assert.fail("a defect") },
    { method: "GET", path: "/refused", needs: "open", handler: refuse },
    { method: "POST", path: "/change", needs: "write", handler: () => json(200, {}) },
    {
      method: "POST",
      path: "/publish",
      needs: "write",
      publishes: true,
      handler: () => json(200, {}),
    },
  ].map((row) => ({ ...ROWS, ...row }) as unknown as Route);
  const server = new ApiServer(api, routes);
  const port = await server.listen(0, "127.0.0.1", 1);
  t.after(() => server.close());
  return { clock, started, refusals, logged, bursts, weights, turns, move, port };
}

function refuse(): never {
  throw new Problem("overloaded", "busy", 4);
}

/** Everything that the server says to one connection, which it or the caller closes. */
async function say(port: number, ...heads: readonly string[]): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "connect");
  socket.end(heads.map((head) => `${head}\r\nHost: localhost\r\n\r\n`).join(""));
  return text(socket);
}

test("an answer keeps its connection, and each answer of a server that leaves closes it", async (t) => {
  const ready = await start(t);
  const two = await say(ready.port, "GET /open HTTP/1.1", "GET /open HTTP/1.1");
  assert.equal(two.match(/HTTP\/1\.1 200 OK/g)?.length, 2);
  assert.doesNotMatch(two, /Connection: close/);
  const draining = await start(t, "draining");
  assert.doesNotMatch(await say(draining.port, "GET /open HTTP/1.1"), /Connection: close/);
  const leaving = await start(t, "leaving");
  assert.match(await say(leaving.port, "GET /open HTTP/1.1"), /Connection: close/);
});

test("a refusal is counted by its code, a defect is logged and not counted", async (t) => {
  const { port, refusals, logged } = await start(t);
  assert.match(await say(port, "GET /refused HTTP/1.1"), /^HTTP\/1\.1 503 .*Retry-After: 4\r\n/s);
  assert.equal(refusals.counts.get("overloaded"), 1);
  assert.deepEqual(logged, []);
  assert.match(await say(port, "GET /defect HTTP/1.1"), /^HTTP\/1\.1 500 /);
  assert.deepEqual(logged, ["unexpected error"]);
  const counted = [...refusals.counts.values()].reduce((sum, count) => sum + count, 0);
  assert.equal(counted, 1);
});

test("another method is told which there are, and a preflight gets no body", async (t) => {
  const { port } = await start(t);
  const refused = await say(port, "DELETE /open HTTP/1.1");
  assert.match(refused, /^HTTP\/1\.1 405 .*Allow: GET.*DELETE is not allowed here, only GET/s);
  const preflight = await say(port, "OPTIONS /open HTTP/1.1");
  assert.match(preflight, /^HTTP\/1\.1 204 .*Allow: GET/s);
});

test("an account's request waits five seconds for a server that starts, and an open one does not", async (t) => {
  const { port, clock, started } = await start(t, "starting");
  assert.match(await say(port, "GET /open HTTP/1.1"), /^HTTP\/1\.1 200 /);
  const change = `POST /change HTTP/1.1\r\nAuthorization: Bearer ${GOOD}`;
  const waits = say(port, change);
  await clockIsAsked(clock);
  clock.advance(4_999);
  assert.equal(await Promise.race([waits, Promise.resolve("waiting")]), "waiting");
  clock.advance(1);
  assert.match(await waits, /^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*the service is starting/s);
  started.resolve();
  assert.match(await say(port, change), /^HTTP\/1\.1 200 /);
});

test("a change needs the token, counts against the burst limit and takes no unknown query", async (t) => {
  const { port, bursts, weights } = await start(t);
  const ask = (head: string): Promise<string> =>
    say(port, `${head} HTTP/1.1\r\nAuthorization: Bearer ${GOOD}`);
  assert.match(await say(port, "POST /change HTTP/1.1"), /^HTTP\/1\.1 401 /);
  assert.match(await ask("POST /change"), /^HTTP\/1\.1 200 /);
  assert.match(await ask("POST /change?labl=x"), /^HTTP\/1\.1 400 .*labl/s);
  assert.deepEqual(bursts, ["account", "account"]);
  assert.match(await ask("POST /publish"), /^HTTP\/1\.1 200 /);
  assert.deepEqual(bursts, ["account", "account"], "a publish has a limit of its own");
  assert.equal(weights.length, 3);
});

test("a request whose turn does not come is refused, and may be tried again", async (t) => {
  const { port, turns, refusals } = await start(t);
  const change = `POST /change HTTP/1.1\r\nAuthorization: Bearer ${GOOD}`;
  turns.push(Promise.resolve(true), Promise.resolve(false));
  assert.match(await say(port, change), /^HTTP\/1\.1 200 /);
  assert.match(await say(port, change), /^HTTP\/1\.1 503 .*Retry-After: 1\r\n.*try again/s);
  assert.equal(refusals.counts.get("overloaded"), 1);
});

/** Until a request waits for its time. */
async function clockIsAsked(clock: ManualClock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    resolve();
    return sleep(ms, signal);
  };
  await promise;
}

test("while the data moves to another store reads are answered, and changes told when to come back", async (t) => {
  const { port, move } = await start(t);
  const change = `POST /change HTTP/1.1\r\nAuthorization: Bearer ${GOOD}`;
  move.isStandingStill = true;
  assert.match(await say(port, change), /^HTTP\/1\.1 503 .*Retry-After: 2\r\n.*the data moves/s);
  assert.match(await say(port, "GET /open HTTP/1.1"), /^HTTP\/1\.1 200 /);
  move.isStandingStill = false;
  assert.match(await say(port, change), /^HTTP\/1\.1 200 /);
});
