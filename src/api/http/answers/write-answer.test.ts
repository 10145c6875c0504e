import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { nextTurn } from "../../../platform/turn.ts";
import type { Answer } from "./answer.ts";
import { writeAnswer } from "./write-answer.ts";

const PIECE_BYTES = 64 * 1024;
const PIECE = Buffer.alloc(1024 * 1024, "x");
const PIECES = 1_000;

/** Requests in one packet on one connection, whose responses a test writes in its own order. */
async function ask(t: TestContext, { method = "GET", count = 1 } = {}) {
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
  const responses: ServerResponse[] = [];
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  server.on("request", (_request: IncomingMessage, response: ServerResponse) => {
    if (responses.push(response) === count) resolve();
  });
  socket.write(`${method} / HTTP/1.1\r\nHost: here\r\n\r\n`.repeat(count));
  await complete;
  const held: number[] = [];
  const room = {
    hold: (bytes: number) => held.push(bytes),
    grow: () => true,
    release: () => undefined,
  };
  const write = (answer: Answer, isLast = false, response = responses[0]!): Promise<void> =>
    writeAnswer(response, answer, { clock, isLast, unread: null, room });
  return { clock, socket, responses, response: responses[0]!, held, write };
}

/** What the caller is sent, until it or the server ends the connection. */
async function bodyOf(socket: NodeJS.ReadableStream): Promise<string> {
  return (await text(socket)).split("\r\n\r\n").slice(1).join("\r\n\r\n");
}

test("an answer is made as its caller reads, and no further", async (t) => {
  let made = 0;
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (; made < PIECES; made++) {
      start();
      yield Promise.resolve(PIECE);
    }
  }
  const { socket, write } = await ask(t);
  const written = write({ status: 200, body: stream() });
  await started;
  socket.destroy();
  await written;
  assert.ok(made < PIECES, "all of it was made for a caller that read nothing");
});

test("an answer that breaks off is not taken for a whole one", async (t) => {
  const { socket, write } = await ask(t);
  const written = write({ status: 200, body: broken() });
  await assert.rejects(written, /the store is gone/);
  let received = "";
  socket.on("data", (chunk) => (received += String(chunk)));
  await once(socket, "close");
  assert.doesNotMatch(received, /\r\n0\r\n\r\n$/);
});

test("a large text is written whole, and holds its memory until then", async (t) => {
  const body = JSON.stringify("é".repeat(1_000_000));
  const held: number[] = [];
  const room = {
    hold: (bytes: number) => held.push(bytes),
    grow: () => true,
    release: () => undefined,
  };
  const { socket, write } = await ask(t);
  const written = write({ status: 200, body, room });
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  await written;
  assert.deepEqual(held, [Buffer.byteLength(body)]);
  socket.end();
  await once(socket, "close");
  assert.ok(bytes > Buffer.byteLength(body));
});

async function* broken(): AsyncGenerator<string> {
  yield await Promise.resolve("[");
  throw new Error("the store is gone");
}

test("the last answer of a connection says so and ends it, another one keeps it", async (t) => {
  const last = await ask(t);
  await last.write({ status: 202, body: "{}" }, true);
  const said = await text(last.socket);
  assert.match(said, /^HTTP\/1\.1 202 Accepted\r\n[^]*\r\nConnection: close\r\n[^]*\r\n\r\n\{\}$/);
  const kept = await ask(t);
  await kept.write({ status: 202, body: "{}" });
  const [chunk] = (await once(kept.socket, "data")) as [Buffer];
  assert.match(String(chunk), /^HTTP\/1\.1 202 Accepted\r\n[^]*\r\nConnection: keep-alive\r\n/);
  assert.equal(kept.response.req.socket.destroyed, false);
});

test("nothing is made for a caller that has hung up, nor after an answer has begun", async (t) => {
  let isMade = false;
  function* pieces(): Generator<string> {
    isMade = true;
    yield "{}";
  }
  const gone = await ask(t);
  gone.response.destroy();
  await gone.write({ status: 200, body: pieces() });
  const begun = await ask(t);
  begun.response.writeHead(200, { "Content-Length": 2 });
  await begun.write({ status: 500, body: pieces() });
  assert.equal(isMade, false);
  assert.deepEqual([gone.held, begun.held], [[], []]);
  begun.response.end("ok");
  begun.socket.end();
  assert.equal(await bodyOf(begun.socket), "ok");
});

test("a text that the connection takes at once is not held, up to a whole piece", async (t) => {
  const whole = await ask(t);
  whole.socket.resume();
  await whole.write({ status: 200, body: "x".repeat(PIECE_BYTES) });
  assert.deepEqual(whole.held, []);
  const larger = await ask(t);
  larger.socket.resume();
  await larger.write({ status: 200, body: "x".repeat(PIECE_BYTES + 1) });
  assert.deepEqual(larger.held, [PIECE_BYTES + 1]);
});

test("what stands behind another answer is held while it waits, and shared bytes hold nothing", async (t) => {
  const { socket, responses, held, write } = await ask(t, { count: 3 });
  const behind = [
    write({ status: 200, body: "second" }, false, responses[1]),
    write({ status: 200, body: Buffer.from("third") }, true, responses[2]),
  ];
  assert.deepEqual(held, ["second".length, 0]);
  let isWritten = false;
  for (const written of behind) void written.then(() => (isWritten = true));
  await nextTurn();
  assert.equal(isWritten, false, "their turn has not come");
  await write({ status: 200, body: "first" });
  assert.deepEqual(held, ["second".length, 0]);
  await Promise.all(behind);
  assert.match(await text(socket), /first[^]*second[^]*third$/);
});

test("large shared bytes are sent as they are, and hold nothing", async (t) => {
  const body = Buffer.from(Array.from({ length: 3 * PIECE_BYTES + 7 }, (_, at) => 97 + (at % 23)));
  const { socket, held, write } = await ask(t);
  const [sent] = await Promise.all([bodyOf(socket), write({ status: 200, body }, true)]);
  assert.ok(sent === String(body), "other bytes arrived");
  assert.deepEqual(held, [0]);
});

test("a large text arrives as it is, wherever its pieces are cut", async (t) => {
  const body = `{"text":"${"é€𝄞".repeat(40_000)}"}`;
  const { socket, write } = await ask(t);
  const [sent] = await Promise.all([bodyOf(socket), write({ status: 200, body }, true)]);
  assert.ok(sent === body, "another text arrived");
});

test("a stream holds one piece, unless it has reserved its own memory", async (t) => {
  const plain = await ask(t);
  plain.socket.resume();
  await plain.write({ status: 200, body: ["[", "]"] });
  assert.deepEqual(plain.held, [PIECE_BYTES]);
  const reserved = await ask(t);
  const own: number[] = [];
  const room = {
    hold: (bytes: number) => own.push(bytes),
    grow: () => true,
    release: () => undefined,
  };
  reserved.socket.resume();
  await reserved.write({ status: 200, body: ["[", "]"], room });
  assert.deepEqual([reserved.held, own], [[], []]);
});

test("a HEAD request gets the headers of a stream, of which nothing is made", async (t) => {
  let isMade = false;
  function* pieces(): Generator<string> {
    isMade = true;
    yield "{}";
  }
  const { socket, write } = await ask(t, { method: "HEAD" });
  await write({ status: 200, body: pieces() }, true);
  assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*application\/json[^]*\r\n\r\n$/);
  assert.equal(isMade, false);
});

for (const ending of ["another piece", "the end"]) {
  test(`a stream whose caller is gone before ${ending} stops, without an error`, async (t) => {
    const { socket, response, write } = await ask(t);
    let isAskedAgain = false;
    async function* pieces(): AsyncGenerator<string> {
      yield "[";
      socket.destroy();
      await once(response, "close");
      if (ending === "the end") return;
      yield "]";
      isAskedAgain = true;
      yield "]";
    }
    await write({ status: 200, body: pieces() });
    assert.equal(isAskedAgain, false);
    assert.equal(response.destroyed, true);
  });
}

/** Pieces that fill the connection, with a pause of ten minutes before each. */
async function* slowly(clock: ManualClock, count: number): AsyncGenerator<Uint8Array> {
  for (let made = 0; made < count; made++) {
    clock.advance(600_000);
    yield await Promise.resolve(Buffer.alloc(PIECE_BYTES, "x"));
  }
}

test("the pauses of a live stream are not its reader's, and those of another are", async (t) => {
  const live = await ask(t);
  live.socket.resume();
  const body = slowly(live.clock, 5);
  await live.write({ status: 200, body, isLive: true });
  assert.equal(live.response.writableFinished, true);
  const other = await ask(t);
  other.socket.resume();
  await other.write({ status: 200, body: slowly(other.clock, 5) });
  assert.equal(other.response.writableFinished, false);
  assert.equal(other.response.destroyed, true);
});
