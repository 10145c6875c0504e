import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { parseNetwork } from "../../../core/policy/egress/address.ts";
import { Problem } from "../../../core/problem.ts";
import { createIds } from "../../../platform/ids.ts";
import { type Answer, json } from "../answers/answer.ts";
import { createAnswerBudget } from "../limits/answer-budget.ts";
import { ConnectionLimit } from "../limits/connection-limit.ts";
import { createListGate } from "../limits/list-gate.ts";
import { RefusalCounts } from "../answers/problem-answer.ts";
import { UnreadAnswers } from "../limits/unread-answers.ts";
import { UploadWatch } from "../limits/upload-watch.ts";
import { type Body, createBodyBudget } from "./body.ts";
import type { Api, Call, Route, ServicePhase } from "./call.ts";
import { ApiServer } from "./server.ts";

const LOOPBACK = parseNetwork("127.0.0.0/8")!;
const ROWS = { says: "", title: "", answers: {} };
const GOOD = "good token";
const READER = "reading token";
const HOOK = "http://host/v2/workflows/hooks/ann/wfr_1/evt_Ab3_-fghijKLMN9";

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
  const reading = { ...access, isReadOnly: true };
  const [bodyBudget, answerBudget] = [createBodyBudget(clock), createAnswerBudget(clock)];
  const listGate = createListGate(clock);
  const owners: string[] = [];
  const unread = new UnreadAnswers();
  const hold = unread.hold.bind(unread);
  unread.hold = (owner, ...rest) => {
    owners.push(owner);
    return hold(owner, ...rest);
  };
  const tokens = new Map([
    [GOOD, access],
    [READER, reading],
  ]);
  const api = {
    clock,
    refusals,
    phase: () => phase,
    started: started.promise,
    ids: createIds(),
    log: { error: (event: string) => logged.push(event) },
    connections: new ConnectionLimit([LOOPBACK], { inAll: 100, ofAddress: 1 }),
    bodyBudget,
    answerBudget,
    listGate,
    uploads: new UploadWatch(clock),
    unread,
    callerIp: ({ headers }: IncomingMessage) => headers["x-from"] ?? "127.0.0.1",
    requireCaller: () => undefined,
    takesTokenInQuery: false,
    failedTokens: { spend: () => undefined },
    accounts: { access: (token: string) => tokens.get(token) ?? null },
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
    { method: "GET", path: "/pieces", needs: "open", handler: () => json200(["1", "2"]) },
    { method: "POST", path: "/admitted", needs: "open", admit: () => takeBody },
    {
      method: "POST",
      path: "/body",
      needs: "write",
      handler: (_: Api, { body }: Call) => takeBody(body),
    },
    { method: "GET", path: "/read", needs: "read", handler: readMuch },
    { method: "POST", path: "/bulk", needs: "write", lists: true, query: [], handler: readMuch },
  ].map((row) => ({ ...ROWS, ...row }) as unknown as Route);
  const server = new ApiServer(api, routes);
  const port = await server.listen(0, "127.0.0.1", 1);
  t.after(() => server.close());
  const held = { bodyBudget, answerBudget, listGate, owners };
  return { clock, started, refusals, logged, bursts, weights, turns, move, port, held };
}

function json200(body: Answer["body"]): Answer {
  return { status: 200, body };
}

async function takeBody(body: Body): Promise<Answer> {
  return json(200, { length: (await body.read(100)).length });
}

/** Reserves memory as a route does that reads many rows; refuses after that where the query says so. */
async function readMuch(
  { context, answerBudget, listGate }: Api,
  { query }: Call,
): Promise<Answer> {
  await context.reserve?.(1_000);
  if (query === "refuse") refuse();
  return json(200, { held: answerBudget.held, lists: listGate.held, hook: HOOK });
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
