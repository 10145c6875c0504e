import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import {
  GOOD,
  HOOK,
  READER,
  say,
  startRoutes as start,
} from "../../../../test/support/handled-routes.ts";
import type { ManualClock } from "../../../../test/support/manual-clock.ts";

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

test("while the data moves, what is sent without a token waits too, and HEAD reads", async (t) => {
  const { port, move } = await start(t);
  move.isStandingStill = true;
  assert.match(await say(port, "POST /admitted HTTP/1.1"), /^HTTP\/1\.1 503 .*the data moves/s);
  const head = `HEAD /read HTTP/1.1\r\nAuthorization: Bearer ${GOOD}`;
  assert.match(await say(port, head), /^HTTP\/1\.1 200 /);
});

test("what reads or changes many rows has reserved memory, and gives it back", async (t) => {
  const { port, held } = await start(t);
  const ask = (head: string, token = GOOD): Promise<string> =>
    say(port, `${head} HTTP/1.1\r\nAuthorization: Bearer ${token}`);
  assert.match(await ask("GET /read"), /"held":1000,"lists":0/);
  const isFree = () => assert.deepEqual([held.answerBudget.held, held.listGate.held], [0, 0]);
  await t.waitFor(isFree);
  assert.match(await ask("POST /bulk"), /"held":\d{4,},"lists":1/);
  for (const head of ["GET /read?refuse", "POST /bulk?refuse"]) {
    assert.match(await ask(head), /^HTTP\/1\.1 503 /);
  }
  await t.waitFor(isFree);
  assert.ok((await ask("GET /read")).includes(HOOK));
  assert.ok(!(await ask("GET /read", READER)).includes(HOOK), "it may not continue a run");
});

test("a body is charged until its request is answered, and weighs what it may be", async (t) => {
  const { port, held, weights } = await start(t);
  const post = `POST /body HTTP/1.1\r\nAuthorization: Bearer ${GOOD}\r\nHost: here\r\nConnection: close`;
  const send = async (rest: string): Promise<string> => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.write(`${post}\r\n${rest}`);
    return text(socket);
  };
  assert.match(await send("Content-Length: 3\r\n\r\nabc"), /"length":3/);
  const chunked = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  assert.match(await send(chunked), /"length":3/);
  assert.equal(held.bodyBudget.held, 0);
  assert.ok(weights[1]! > weights[0]!, "a size that is not declared may be large");
});

test("a caller that hangs up within its body is neither a defect nor a refusal", async (t) => {
  const { port, logged, refusals, held } = await start(t);
  const socket = connect({ port, host: "127.0.0.1" });
  const asked = "Content-Length: 3\r\nExpect: 100-continue\r\n\r\n";
  socket.write(`POST /admitted HTTP/1.1\r\nHost: here\r\n${asked}`);
  await once(socket, "data");
  socket.write("a");
  await t.waitFor(() => assert.ok(held.bodyBudget.held > 0));
  socket.destroy();
  await t.waitFor(() => assert.equal(held.bodyBudget.held, 0));
  assert.deepEqual(logged, []);
  assert.ok([...refusals.counts.values()].every((count) => count === 0));
});

test("an address has so many requests at once behind a proxy, and any number in turn", async (t) => {
  const { port } = await start(t);
  const head = "GET /open HTTP/1.1\r\nX-From: 203.0.113.1";
  for (let round = 0; round < 3; round++) {
    await t.waitFor(async () => assert.match(await say(port, head), /^HTTP\/1\.1 200 /));
  }
});

test("the memory of an unread answer is that of the account, or of the caller's address", async (t) => {
  const { port, held } = await start(t);
  await say(port, "GET /pieces HTTP/1.1\r\nX-From: 203.0.113.1");
  await say(port, "GET /pieces HTTP/1.1\r\nX-From: 203.0.113.2");
  assert.deepEqual(held.owners, ["address 203.0.113.1", "address 203.0.113.2"]);
});
