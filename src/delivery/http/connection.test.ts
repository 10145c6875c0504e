import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import type { HeaderList } from "../../core/model/message/message.ts";
import type { CarryingConnection, OutboundExchange } from "./outbound-exchange.ts";
import { Connection } from "./connection.ts";

class FakeSocket extends EventEmitter {
  readonly written: Buffer[] = [];
  readonly calls: string[] = [];
  writableLength = 0;
  write(data: string | Uint8Array, encoding?: BufferEncoding): boolean {
    this.written.push(typeof data === "string" ? Buffer.from(data, encoding) : Buffer.from(data));
    return true;
  }
  pause(): void {
    this.calls.push("pause");
  }
  resume(): void {
    this.calls.push("resume");
  }
  cork(): void {
    this.calls.push("cork");
  }
  uncork(): void {
    this.calls.push("uncork");
  }
  destroy(): void {
    this.calls.push("destroy");
  }
}

/** A request whose answer is held back after the first piece, while the test says so. */
class Request implements OutboundExchange {
  readonly request;
  readonly heard: string[] = [];
  holdsBack = false;
  #connection!: CarryingConnection;

  constructor(body: Uint8Array | null = null, method = "POST") {
    this.request = { method, path: "/p", headers: ["X", "1"], body };
  }
  abort(): void {}
  onStart(connection: CarryingConnection): void {
    this.#connection = connection;
  }
  onHead(status: number, headers: HeaderList): void {
    this.heard.push(`${status} ${headers.length}`);
  }
  onData(bytes: Buffer): void {
    this.heard.push(bytes.toString());
    if (this.holdsBack) this.#connection.pause();
  }
  goOn(): void {
    this.#connection.resume();
  }
  giveUp(): void {
    this.#connection.abort();
  }
  onEnd(): void {
    this.heard.push("end");
  }
  onFailure(error: unknown): void {
    this.heard.push(`failed: ${(error as Error).message}`);
  }
}

function connected(request = new Request()) {
  const free: number[] = [];
  let closed = 0;
  const socket = new FakeSocket();
  const connection = new Connection({
    host: "example.test",
    onFree: (_connection, idleMs) => free.push(idleMs),
    onClosed: () => (closed += 1),
  });
  connection.open(socket as unknown as Socket);
  connection.carry(request);
  const receive = (text: string): boolean => connection.receive(Buffer.from(text));
  return { connection, socket, request, receive, free, closed: () => closed };
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";

test("what arrives while an answer is held back is read later, whole and in order", () => {
  const request = new Request();
  request.holdsBack = true;
  const { socket, receive, free } = connected(request);
  assert.equal(receive(`${HEAD}ab`), false, "the socket is to pause");
  assert.equal(receive("cd"), false);
  assert.equal(receive("ef"), false);
  assert.deepEqual(request.heard, ["200 1", "ab"]);
  request.holdsBack = false;
  request.goOn();
  assert.equal(request.heard.join(" "), "200 1 ab cdef end");
  assert.deepEqual(socket.calls, ["pause", "resume"]);
  assert.equal(free.length, 1);
});

test("what came in the same piece as a chunk that is held back is kept, though its memory is used again", () => {
  const request = new Request();
  request.holdsBack = true;
  const { connection } = connected(request);
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const shared = Buffer.from(`${head}2\r\nab\r\n4\r\ncdef\r\n0\r\n\r\n`);
  assert.equal(connection.receive(shared), false);
  assert.deepEqual(request.heard, ["200 1", "ab"]);
  shared.fill("x");
  request.holdsBack = false;
  request.goOn();
  assert.deepEqual(request.heard, ["200 1", "ab", "cdef", "end"]);
});

test("an answer that is held back again waits again", () => {
  const request = new Request();
  request.holdsBack = true;
  const { socket, receive } = connected(request);
  receive(`${HEAD}ab`);
  receive("cd");
  request.goOn();
  assert.deepEqual(socket.calls, ["pause", "pause"]);
  assert.equal(receive("ef"), false);
  assert.equal(request.heard.join(" "), "200 1 ab cd");
  request.holdsBack = false;
  request.goOn();
  assert.equal(request.heard.join(" "), "200 1 ab cd ef end");
  assert.deepEqual(socket.calls, ["pause", "pause", "resume"]);
});

test("a connection is free after a whole answer, and not after one with more behind it", () => {
  const clean = connected();
  assert.equal(clean.receive(`${HEAD}abcdef`), true);
  assert.equal(clean.free.length, 1);
  assert.equal(clean.closed(), 0);
  const babbling = connected();
  babbling.receive(`${HEAD}abcdefHTTP/1.1 200 OK\r\n\r\n`);
  assert.deepEqual(babbling.request.heard, ["200 1", "abcdef", "end"]);
  assert.equal(babbling.free.length, 0);
  assert.equal(babbling.closed(), 1);
});

test("a connection whose request is not written yet, or that the server ends, is not free", () => {
  const unwritten = connected();
  unwritten.socket.writableLength = 1;
  unwritten.receive(`${HEAD}abcdef`);
  assert.deepEqual([unwritten.free.length, unwritten.closed()], [0, 1]);
  const closing = connected();
  closing.receive("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  assert.deepEqual([closing.free.length, closing.closed()], [0, 1]);
  assert.deepEqual(closing.request.heard, ["200 2", "end"]);
});

test("a connection whose server may have left a body unread is not free", () => {
  const { receive, free, closed, request } = connected(new Request(Buffer.from("body"), "GET"));
  receive(`${HEAD}abcdef`);
  assert.equal(request.heard.at(-1), "end");
  assert.deepEqual([free.length, closed()], [0, 1]);
});

test("the end of the connection ends a body without a length, and fails any other", () => {
  const endless = connected();
  endless.receive("HTTP/1.1 200 OK\r\n\r\nabc");
  endless.socket.emit("end");
  assert.deepEqual(endless.request.heard, ["200 0", "abc", "end"]);
  const short = connected();
  short.receive(`${HEAD}abc`);
  short.socket.emit("end");
  assert.match(short.request.heard.at(-1)!, /^failed: connection closed/);
  assert.equal(short.closed(), 1);
  short.socket.emit("close");
  assert.equal(short.closed(), 1, "it is told once");
});

test("a connection that closes without a word fails its request, and is told of", () => {
  const { socket, request, closed } = connected();
  socket.emit("close");
  assert.deepEqual(request.heard, ["failed: connection closed before an answer"]);
  assert.equal(closed(), 1);
});

test("a connection that is closed when its request has ended is not free", () => {
  const { connection, receive, request, free, closed } = connected();
  request.onEnd = () => connection.close(new Error("the service stops"));
  receive(`${HEAD}abcdef`);
  assert.deepEqual([free.length, closed()], [0, 1]);
});

test("a request that is given up hears no more, and closes its connection", () => {
  const { request, socket, receive, closed } = connected();
  receive(`${HEAD}ab`);
  request.giveUp();
  assert.equal(receive("cdef"), false);
  assert.deepEqual(request.heard, ["200 1", "ab"]);
  assert.deepEqual(socket.calls, ["destroy"]);
  assert.equal(closed(), 1);
});

test("words without a request close the connection", () => {
  const { connection, receive, closed } = connected();
  receive(`${HEAD}abcdef`);
  connection.receive(Buffer.from("HTTP/1.1 200 OK\r\n\r\n"));
  assert.equal(closed(), 1);
});

test("a small body goes out with its head, a large one behind it in one turn", () => {
  const head = "POST /p HTTP/1.1\r\n";
  for (const [bytes, pieces] of [
    [16 * 1024, 1],
    [16 * 1024 + 1, 2],
  ] as const) {
    const { socket } = connected(new Request(Buffer.alloc(bytes, "b")));
    assert.equal(socket.written.length, pieces, `${bytes} bytes`);
    const sent = Buffer.concat(socket.written).toString();
    assert.ok(sent.startsWith(head));
    assert.ok(sent.endsWith(`\r\n\r\n${"b".repeat(bytes)}`));
    assert.deepEqual(socket.calls, pieces === 1 ? [] : ["cork", "uncork"]);
  }
});
