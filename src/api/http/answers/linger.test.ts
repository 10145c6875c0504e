import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { until } from "../../../../test/support/eventually.ts";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { nextTurn } from "../../../platform/turn.ts";
import { writeAnswer } from "./write-answer.ts";

const HEAD = "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
const REFUSED = { status: 401, body: '{"error":"no"}' };
const NO_ROOM = { hold: () => undefined, grow: () => true, release: () => undefined };

/** A request, and its response, of a caller that does not end its body. */
async function begin(t: TestContext) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  t.after(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.write(HEAD);
  const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  return { socket, request, response };
}

/** A caller that is refused while it sends so many chunks, and does not end its body. */
async function refused(t: TestContext, count: number, bytes: number) {
  const clock = new ManualClock();
  const { socket, request, response } = await begin(t);
  const options = { clock, isLast: true, unread: request, room: NO_ROOM };
  const written = writeAnswer(response, REFUSED, options);
  const received = countReceived(request);
  socket.write(`${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`.repeat(count));
  return { clock, socket, written, received };
}

/** Resolves when so many bytes were read on. */
function countReceived(request: IncomingMessage): (bytes: number) => Promise<void> {
  let received = 0;
  request.on("data", (chunk: Buffer) => (received += chunk.length));
  return (bytes) => until(() => received >= bytes, "the bytes are read");
}

async function answerOf(socket: Socket): Promise<string> {
  return text(socket).catch(() => "reset");
}

test("tiny chunks after a refusal end the connection at once", { timeout: 30_000 }, async (t) => {
  const { socket, written } = await refused(t, 1_000, 1);
  assert.match(await answerOf(socket), /^HTTP\/1\.1 401 |^reset$/);
  await written;
});

test("ordinary chunks after a refusal are read on for a while, so that the answer is seen", async (t) => {
  const { clock, socket, written, received } = await refused(t, 1_000, 2_000);
  await received(2_000_000);
  assert.equal(socket.destroyed, false);
  clock.advance(2_000);
  assert.match(await answerOf(socket), /^HTTP\/1\.1 401 /);
  await written;
});

test("a caller that ends its body gets the answer, and no wait", async (t) => {
  const { socket, written } = await refused(t, 10, 1);
  socket.write("0\r\n\r\n");
  assert.match(await answerOf(socket), /^HTTP\/1\.1 401 [^]*\{"error":"no"\}$/);
  await written;
});

/** An upload whose chunks come as the test says. */
class Upload extends EventEmitter {
  calls: string[] = [];
  pause = (): void => void this.calls.push("pause");
  resume = (): void => void this.calls.push("resume");

  send(count: number, bytes: number): void {
    for (let sent = 0; sent < count; sent++) this.emit("data", Buffer.alloc(bytes));
  }
}

async function refuse(t: TestContext, body: string | Uint8Array = REFUSED.body) {
  const clock = new ManualClock();
  const upload = new Upload();
  const held: number[] = [];
  const room = {
    hold: (bytes: number) => held.push(bytes),
    grow: () => true,
    release: () => undefined,
  };
  const { socket, response } = await begin(t);
  const unread = upload as unknown as IncomingMessage;
  const written = writeAnswer(
    response,
    { status: 401, body },
    { clock, isLast: true, unread, room },
  );
  return { clock, upload, held, socket, response, written };
}

test("a refused upload is read for two seconds, and no longer", async (t) => {
  const { clock, upload, response, socket, written } = await refuse(t);
  assert.deepEqual(upload.calls, ["resume"]);
  clock.advance(1_999);
  assert.equal(response.writableEnded, false);
  clock.advance(1);
  assert.equal(response.writableEnded, true);
  assert.deepEqual(upload.calls, ["resume", "pause"]);
  assert.match(await answerOf(socket), /\r\nConnection: close\r\n[^]*\{"error":"no"\}$/);
  await written;
  assert.deepEqual(upload.eventNames(), []);
});

test("of a refused upload 16 MiB are read, and no more", async (t) => {
  const { upload, response, written } = await refuse(t);
  upload.send(16, 1024 * 1024);
  assert.equal(response.writableEnded, false);
  upload.send(1, 1);
  assert.equal(response.writableEnded, true);
  await written;
});

test("of a refused upload 500 chunks may be tiny; more must have a kibibyte each", async (t) => {
  const tiny = await refuse(t);
  tiny.upload.send(500, 1);
  assert.equal(tiny.response.writableEnded, false);
  tiny.upload.send(1, 1);
  assert.equal(tiny.response.writableEnded, true);
  const ordinary = await refuse(t);
  ordinary.upload.send(501, 1_024);
  assert.equal(ordinary.response.writableEnded, false);
  ordinary.upload.send(1, 1_023);
  assert.equal(ordinary.response.writableEnded, true);
  await Promise.all([tiny.written, ordinary.written]);
});

for (const event of ["end", "close"]) {
  test(`the ${event} of a refused upload ends the wait, and its timer`, async (t) => {
    const { clock, upload, response, written } = await refuse(t);
    assert.equal(clock.alarmCount, 1);
    upload.emit(event);
    assert.equal(response.writableEnded, true);
    await written;
    assert.equal(clock.alarmCount, 0);
    assert.deepEqual(upload.eventNames(), []);
  });
}

test("a refusal holds its text until it is read, and shared bytes hold nothing", async (t) => {
  const large = "x".repeat(20_000_000);
  const own = await refuse(t, large);
  const shared = await refuse(t, Buffer.from(large));
  assert.deepEqual([own.held, shared.held], [[large.length], [0]]);
  let isWritten = false;
  void own.written.then(() => (isWritten = true));
  own.clock.advance(2_000);
  await nextTurn();
  own.clock.advance(29_999);
  await nextTurn();
  assert.equal(isWritten, false, "its caller has not read it");
  own.clock.advance(1);
  await own.written;
  assert.equal(own.response.destroyed, true);
  shared.upload.emit("end");
  shared.socket.resume();
  await shared.written;
  assert.equal(shared.response.writableFinished, true);
});
