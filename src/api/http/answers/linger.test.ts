import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { until } from "../../../../test/support/eventually.ts";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { writeAnswer } from "./write-answer.ts";

const HEAD = "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n";
const REFUSED = { status: 401, body: '{"error":"no"}' };
const NO_ROOM = { hold: () => undefined, release: () => undefined };

/** A caller that is refused while it sends so many chunks, and does not end its body. */
async function refused(t: TestContext, count: number, bytes: number) {
  const clock = new ManualClock();
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
