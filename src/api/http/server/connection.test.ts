import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { systemClock } from "../../../platform/clock.ts";
import { Connection, REQUESTS_AT_ONCE_MAX } from "./connection.ts";
import { UnreadAnswers, UnreadRoom } from "../limits/unread-answers.ts";
import { writeAnswer } from "../answers/write-answer.ts";

const GET = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";

interface Begun {
  readonly verdict: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What becomes of the first `count` requests of one packet, none of which is answered. */
async function begun(
  t: TestContext,
  count: number,
  sent = count,
): Promise<{ socket: Socket; all: Begun[] }> {
  const all: Begun[] = [];
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  let connection: Connection;
  const server = createServer((request, response) => {
    all.push({ verdict: connection.begin(response), request, response });
    if (all.length === count) resolve();
  });
  server.on("connection", (socket: Socket) => (connection = new Connection(socket)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  t.after(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write(GET.repeat(sent));
  await complete;
  return { socket, all };
}

test("the first request too many is refused, and those after it are ignored", async (t) => {
  const { all } = await begun(t, REQUESTS_AT_ONCE_MAX + 3);
  const verdicts = all.map(({ verdict }) => verdict);
  const admitted = Array<string>(REQUESTS_AT_ONCE_MAX).fill("admitted");
  assert.deepEqual(verdicts, [...admitted, "refused", "ignored", "ignored"]);
  assert.equal(all[0]!.request.socket.destroyed, false);
});

test("far too many end the connection at once", async (t) => {
  const { all } = await begun(t, 2 * REQUESTS_AT_ONCE_MAX + 1);
  assert.equal(all.at(-1)!.verdict, "ignored");
  assert.equal(all[0]!.request.socket.destroyed, true);
});

test("what came with far too many is not read as requests", async (t) => {
  const { all, socket } = await begun(t, 2 * REQUESTS_AT_ONCE_MAX + 1, 1_000);
  if (!socket.destroyed) await once(socket, "close");
  assert.equal(all.length, 2 * REQUESTS_AT_ONCE_MAX + 1);
});

test("an answer that waits for its turn is released when the connection ends", async (t) => {
  const { socket, all } = await begun(t, 3);
  const unread = new UnreadAnswers();
  const written = [all[1]!, all[2]!].map(async ({ request, response }) => {
    const room = new UnreadRoom(unread, ownerName, request);
    const answer = { status: 200, body: "x".repeat(10_000) };
    await writeAnswer(response, answer, { clock: systemClock, isLast: false, unread: null, room });
    room.release();
  });
  assert.ok(unread.bytes > 20_000);
  socket.destroy();
  await Promise.all(written);
  assert.equal(unread.bytes, 0);
});

/** Whose turn it is has the socket; Node ends it, and from version 24 on the others too. */
class FakeResponse extends EventEmitter {
  socket: object | null = null;
  writableFinished = false;
  isDestroyed = false;
  readonly req = { complete: true };
  destroy(): void {
    this.isDestroyed = true;
  }
}

function fakeConnection() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: () => undefined });
  const connection = new Connection(socket as unknown as Socket);
  const begin = (response = new FakeResponse()) => {
    const verdict = connection.begin(response as unknown as ServerResponse);
    return { response, verdict };
  };
  return { socket, connection, begin };
}

test("a request counts until its answer has ended, and not longer", () => {
  const { begin } = fakeConnection();
  for (let round = 0; round < 5 * REQUESTS_AT_ONCE_MAX; round++) {
    const { response, verdict } = begin();
    assert.equal(verdict, "admitted");
    response.emit("close");
  }
});

test("what is read after the end of the connection is ignored", () => {
  const { socket, begin } = fakeConnection();
  socket.destroyed = true;
  assert.equal(begin().verdict, "ignored");
});

test("answers that wait for their turn end with the connection, and those that Node ends are left to it", () => {
  const { socket, begin } = fakeConnection();
  const [current, finished, waiting] = [new FakeResponse(), new FakeResponse(), new FakeResponse()];
  current.socket = socket;
  finished.writableFinished = true;
  let closed = 0;
  for (const response of [current, finished, waiting]) {
    begin(response);
    response.on("close", () => (closed += 1));
  }
  socket.emit("close");
  const ended = [current, finished, waiting].map(({ isDestroyed }) => isDestroyed);
  assert.deepEqual(ended, [false, false, true]);
  assert.equal(closed, 1);
});

test("an end comes once, after the last answer to a whole request", () => {
  const { connection, begin } = fakeConnection();
  const [first, second, third] = [begin(), begin(), begin()].map(({ response }) => response);
  third!.req.complete = false;
  let ends = 0;
  for (let times = 0; times < 2; times++) connection.endAfterAnswers(() => (ends += 1));
  first!.emit("close");
  assert.equal(ends, 0);
  second!.emit("close");
  assert.equal(ends, 1);
});

test("as many requests as one connection may have can wait for its end without a warning", () => {
  const { socket } = fakeConnection();
  assert.ok(socket.getMaxListeners() > 2 * REQUESTS_AT_ONCE_MAX);
});

function ownerName(): string {
  return "one";
}
