import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { test } from "node:test";
import { systemClock } from "../../../platform/clock.ts";
import type { Answer } from "./answer.ts";
import { writeAnswer } from "./write-answer.ts";

const PIECE = Buffer.alloc(1024 * 1024, "x");
const PIECES = 1_000;
const NO_ROOM = { hold: () => undefined, release: () => undefined };
const OPTIONS = { clock: systemClock, isLast: false, unread: null, room: NO_ROOM };

test("an answer is made as its caller reads, and no further", async () => {
  let made = 0;
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  async function* stream(): AsyncGenerator<Uint8Array> {
    for (; made < PIECES; made++) {
      start();
      yield Promise.resolve(PIECE);
    }
  }
  const { server, socket, written } = await asked({ status: 200, body: stream() });
  await started;
  socket.destroy();
  await written;
  assert.ok(made < PIECES, "all of it was made for a caller that read nothing");
  server.close();
});

test("an answer that breaks off is not taken for a whole one", async () => {
  const { server, socket, written } = await asked({ status: 200, body: broken() });
  await assert.rejects(written, /the store is gone/);
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.on("error", () => undefined);
  await once(socket, "close");
  assert.doesNotMatch(text, /\r\n0\r\n\r\n$/);
  server.close();
});

test("a large text is written whole, and holds its memory until then", async () => {
  const body = JSON.stringify("é".repeat(1_000_000));
  const held: number[] = [];
  const room = { hold: (bytes: number) => held.push(bytes), release: () => undefined };
  const { server, socket, written } = await asked({ status: 200, body, room });
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
  await written;
  assert.deepEqual(held, [Buffer.byteLength(body)]);
  socket.end();
  await once(socket, "close");
  assert.ok(bytes > Buffer.byteLength(body));
  server.close();
});

async function* broken(): AsyncGenerator<string> {
  yield await Promise.resolve("[");
  throw new Error("the store is gone");
}

interface Asked {
  readonly server: Server;
  readonly socket: Socket;
  readonly written: Promise<void>;
}

/** A request to a server with this response, from a caller that does not read yet. */
async function asked(answer: Answer): Promise<Asked> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  return { server, socket, written: writeAnswer(response, answer, OPTIONS) };
}
