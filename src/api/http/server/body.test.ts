import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { Budget } from "../../../platform/budget.ts";
import { systemClock } from "../../../platform/clock.ts";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { Body, CallerGone } from "./body.ts";
import { UploadWatch, type WatchedUpload } from "../limits/upload-watch.ts";

const MEGABYTE = 1024 * 1024;
const refusal = (): Error => new Error("no room");

/** A server that reads bodies within a budget, and reports the size of each. */
async function startReader(t: TestContext, totalMax: number) {
  const bodyBudget = new Budget({
    clock: systemClock,
    totalMax,
    reserveBytes: 0,
    waitingMax: 10,
    waitMsMax: 60_000,
    firstMsMax: 60_000,
    refusal,
  });
  const tools = { clock: systemClock, bodyBudget, uploads: new UploadWatch(systemClock) };
  const answer = async (got: IncomingMessage, response: ServerResponse): Promise<void> => {
    const declared = got.headers["content-length"];
    const body = new Body(got, declared === undefined ? null : Number(declared), tools, null);
    const size = await body.read(4 * MEGABYTE).then(
      (bytes) => String(bytes.length),
      (error: Error) => error.message,
    );
    body.release();
    response.end(size);
  };
  const server = createServer((got, response) => void answer(got, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { bodyBudget, port: (server.address() as AddressInfo).port };
}

function startUpload(port: number, headers: Readonly<Record<string, string>> = {}) {
  const sent = request({ port, host: "127.0.0.1", method: "POST", headers, agent: false });
  const { promise: size, resolve } = Promise.withResolvers<string>();
  sent.on("response", (response) => void text(response).then(resolve));
  sent.on("error", (error) => resolve(error.message));
  return { sent, size };
}

const start = (): void => undefined;
const PATIENCE_MS = 10_000;

async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!condition()) {
    assert.ok(performance.now() < giveUpAt, "it did not come to be");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a body is charged by what has arrived of it, and not by what was announced", async (t) => {
  const { bodyBudget, port } = await startReader(t, MEGABYTE);
  const uploads = [1, 2, 3].map(() => startUpload(port, { "Content-Length": String(MEGABYTE) }));
  for (const { sent } of uploads) sent.write(Buffer.alloc(1_000));
  await until(() => bodyBudget.held > 0 && bodyBudget.held === 3 * 1_000);
  const { sent, size } = startUpload(port);
  sent.end(Buffer.alloc(900_000));
  assert.equal(await size, "900000");
});

test("bodies that do not fit wait half-read, and come to their end one after the other", async (t) => {
  const { bodyBudget, port } = await startReader(t, MEGABYTE);
  const uploads = [1, 2, 3].map(() => startUpload(port));
  for (const { sent } of uploads) sent.write(Buffer.alloc(2 * MEGABYTE));
  await until(() => bodyBudget.waiting === 2);
  // One upload goes first, the others share the budget.
  assert.ok(bodyBudget.held <= 4 * MEGABYTE + MEGABYTE, `${bodyBudget.held} bytes`);
  for (const { sent } of uploads) sent.end();
  assert.deepEqual(
    await Promise.all(uploads.map(({ size }) => size)),
    [1, 2, 3].map(() => String(2 * MEGABYTE)),
  );
  assert.equal(bodyBudget.held, 0);
});

/** The body of a request that the test sends by itself. */
function bodyOf(declaredBytes: number | null, onStart: (() => void) | null = null) {
  const clock = new ManualClock();
  const limits = { totalMax: MEGABYTE, reserveBytes: 0, waitingMax: 10 };
  const times = { waitMsMax: 60_000, firstMsMax: 60_000 };
  const bodyBudget = new Budget({ clock, ...limits, ...times, refusal });
  const watched = new Set<WatchedUpload>();
  const uploads = {
    add: (upload: WatchedUpload) => watched.add(upload),
    remove: (upload: WatchedUpload) => watched.delete(upload),
  } as unknown as UploadWatch;
  const stream = Object.assign(new PassThrough(), { complete: false });
  const sent = stream as unknown as IncomingMessage;
  const body = new Body(sent, declaredBytes, { clock, bodyBudget, uploads }, onStart);
  return { clock, bodyBudget, watched, stream, body };
}

test("a body may be as large as is allowed, and not a byte larger", async () => {
  for (const isDeclared of [true, false]) {
    for (const [bytes, expected] of [
      [100, 100],
      [101, "body-too-large"],
    ] as const) {
      for (const packets of [1, 2]) {
        const { stream, body } = bodyOf(isDeclared ? bytes : null);
        const read = body.read(100).then(
          ({ length }) => length,
          ({ kind }: { kind: string }) => kind,
        );
        if (packets === 2) await new Promise(setImmediate);
        stream.end(Buffer.alloc(bytes));
        assert.equal(await read, expected, `${bytes} bytes, declared: ${isDeclared}`);
      }
    }
  }
});

test("a body of no bytes is not waited for", async () => {
  const { body, watched } = bodyOf(0, () => assert.fail("there is nothing to ask for"));
  assert.equal((await body.read(100)).length, 0);
  assert.equal(watched.size, 0);
});

const headTo = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: 3\r\n\r\n`;

test("a caller is identified again where its body came later, and not where it came with its head", async (t) => {
  let identified = 0;
  const bodyBudget = new Budget({
    clock: systemClock,
    totalMax: 100,
    waitingMax: 0,
    waitMsMax: 0,
    refusal,
  });
  const tools = { clock: systemClock, bodyBudget, uploads: new UploadWatch(systemClock) };
  const answer = async (got: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = new Body(got, Number(got.headers["content-length"]), tools, null);
    body.chargeTo("one", () => Promise.resolve((identified += 1)));
    // Where it comes later, the caller may begin with it now.
    if (got.url === "/later") response.write("-");
    response.end(Buffer.from(await body.read(100)).toString());
    body.release();
  };
  const server = createServer((got, response) => void answer(got, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const atOnce = connect({ port, host: "127.0.0.1" });
  atOnce.write(`${headTo("/")}abc`);
  assert.match(await text(atOnce), /abc$/);
  assert.equal(identified, 0);
  const later = connect({ port, host: "127.0.0.1" });
  later.write(headTo("/later"));
  later.once("data", () => later.write("abc"));
  await text(later);
  assert.equal(identified, 1);
});

test("a body that is refused by its length is not asked for", async () => {
  let isStarted = false;
  const { body } = bodyOf(101, () => (isStarted = true));
  await assert.rejects(body.read(100), { kind: "body-too-large" });
  assert.equal(isStarted, false);
  assert.equal(body.rest, "held-back");
  const { body: asked, stream } = bodyOf(3, () => (isStarted = true));
  const read = asked.read(100);
  assert.equal(isStarted, true);
  stream.end("abc");
  assert.equal(Buffer.from(await read).toString(), "abc");
});

test("what is left of a body is known: nothing, what arrives, or what the sender holds back", async () => {
  assert.equal(bodyOf(0).body.rest, "none");
  assert.equal(bodyOf(5).body.rest, "arriving");
  assert.equal(bodyOf(null).body.rest, "arriving");
  assert.equal(bodyOf(5, start).body.rest, "held-back");
  const complete = bodyOf(5, start);
  complete.stream.complete = true;
  assert.equal(complete.body.rest, "none");
  const read = bodyOf(5, start);
  const bytes = read.body.read(100);
  assert.equal(read.body.rest, "arriving");
  read.stream.end("abcde");
  await bytes;
  assert.equal(read.body.rest, "none");
});

test("the memory of a body is charged to its owner until it is released", async () => {
  for (const isAtOnce of [true, false]) {
    const { bodyBudget, stream, body } = bodyOf(1_000);
    assert.equal(body.owner, "");
    assert.equal(body.chargeTo("one").owner, "one");
    if (isAtOnce) stream.write(Buffer.alloc(1_000));
    const read = body.read(5_000);
    await new Promise(setImmediate);
    stream.end(isAtOnce ? undefined : Buffer.alloc(1_000));
    await read;
    assert.equal(bodyBudget.held, 1_000);
    body.release();
    assert.equal(bodyBudget.held, 0);
  }
});

test("an upload is watched while it arrives, and ended when it is too slow", async () => {
  const { clock, watched, stream, body } = bodyOf(1_000);
  const refused = assert.rejects(body.read(5_000), { kind: "request-timeout" });
  await new Promise(setImmediate);
  const [upload] = watched;
  assert.equal(upload?.lastProgressAt, 0);
  clock.advance(5_000);
  stream.write("abc");
  await new Promise(setImmediate);
  assert.deepEqual([upload?.lastProgressAt, upload?.receivedBytes], [5_000, 3]);
  assert.equal(upload?.isHeldBack(), false);
  upload?.giveUp();
  await refused;
  assert.equal(watched.size, 0);
  assert.equal(stream.isPaused(), true);
  const { watched: ended, stream: other, body: whole } = bodyOf(3);
  const read = whole.read(5_000);
  await new Promise(setImmediate);
  other.end("abc");
  await read;
  assert.equal(ended.size, 0);
});

test("an upload that waits for memory is not slow, and goes on when there is some", async () => {
  const { clock, watched, bodyBudget, stream, body } = bodyOf(20_000);
  const [first, other] = [bodyBudget.open("first"), bodyBudget.open("other")];
  first.grow(MEGABYTE);
  const going = other.wait(1);
  await going;
  const read = body.chargeTo("one").read(50_000);
  await new Promise(setImmediate);
  stream.write(Buffer.alloc(10_000));
  await until(() => bodyBudget.waiting === 1);
  const [upload] = watched;
  assert.equal(upload!.isHeldBack(), true);
  clock.advance(20_000);
  first.release();
  await until(() => !upload!.isHeldBack());
  assert.equal(upload!.lastProgressAt, 20_000, "its time begins when it goes on");
  stream.end(Buffer.alloc(10_000));
  assert.equal((await read).length, 20_000);
});

test("an upload that goes beyond the memory is ended when it is slow and others wait", async () => {
  const { clock, bodyBudget, stream, body } = bodyOf(20_000);
  bodyBudget.open("first").grow(MEGABYTE);
  const refused = assert.rejects(body.chargeTo("one").read(50_000), { kind: "request-timeout" });
  await new Promise(setImmediate);
  stream.write(Buffer.alloc(10_000));
  await new Promise(setImmediate);
  const waiting = bodyBudget.open("next").wait(1);
  clock.advance(59_999);
  assert.equal(bodyBudget.waiting, 1);
  waiting.catch(() => undefined);
  clock.advance(1);
  await refused;
});

test("a body of very many tiny chunks is refused while it arrives", async () => {
  const { stream, body } = bodyOf(null);
  const refused = assert.rejects(body.read(MEGABYTE), /more than 10000 chunks/);
  await new Promise(setImmediate);
  for (let chunk = 0; chunk <= 10_000; chunk++) stream.emit("data", Buffer.alloc(1));
  await refused;
});

test("a caller that hangs up is gone, before the body or within it", async () => {
  const before = bodyOf(5);
  before.stream.destroy();
  await assert.rejects(before.body.read(100), CallerGone);
  const earlier = bodyOf(5);
  await once(earlier.stream.destroy(), "close");
  await assert.rejects(earlier.body.read(100), CallerGone);
  const within = bodyOf(5);
  const gone = assert.rejects(within.body.read(100), CallerGone);
  await new Promise(setImmediate);
  within.stream.destroy();
  await gone;
  assert.equal(within.watched.size, 0);
});
