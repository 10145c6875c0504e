import assert from "node:assert/strict";
import { test } from "node:test";
import { AnswerParser } from "./answer-parser.ts";

/** A parser, and what it tells of the answers that it is given. */
function parser() {
  const told: string[] = [];
  let answer: AnswerParser;
  const read = (text: string): number => answer.read(Buffer.from(text, "latin1"));
  answer = new AnswerParser({
    onHead: (status, headers, bodyBytes) => told.push(`${status} ${headers.length} ${bodyBytes}`),
    onData: (bytes) => told.push(bytes.toString("latin1")) > 0,
    onEnd: () => told.push("end"),
  });
  return { answer, read, told, taken: () => told.splice(0) };
}

const NOT_HTTP = { name: "DeliveryError", message: "the answer is not valid HTTP" };
const TOO_LARGE = { name: "DeliveryError", message: "the answer's headers are too large" };

test("answers that come in pieces are read like those in one, one after the other", () => {
  const { answer, read, taken } = parser();
  const text = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
  for (let cut = 1; cut < text.length - 1; cut++) {
    answer.expect("GET");
    assert.equal(answer.keepAliveMs, 0);
    assert.equal(read(text.slice(0, cut)) + read(text.slice(cut)), text.length);
    assert.deepEqual(taken(), ["200 1 2", "ok", "end"], `cut at ${cut}`);
    assert.ok(answer.keepAliveMs > 0);
  }
});

test("interim answers come before the answer, have no body, and no protocol is switched", () => {
  const { answer, read, told } = parser();
  answer.expect("POST");
  const hints = "HTTP/1.1 103 Early Hints\r\nContent-Length: 5\r\n\r\n";
  read(`${hints}HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n`);
  assert.deepEqual(told, ["103 1 0", "100 0 0", "201 1 0", "end"]);
  answer.expect("POST");
  assert.throws(() => read("HTTP/1.1 101 Switching Protocols\r\n\r\n"), NOT_HTTP);
});

test("an answer to HEAD has no body, nor have 204 and 304, whatever their length says", () => {
  for (const [method, status] of [
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ] as const) {
    for (const framing of ["Content-Length: 5", "Transfer-Encoding: chunked", "X: y"]) {
      const { answer, read, told } = parser();
      answer.expect(method);
      const text = `HTTP/1.1 ${status} x\r\n${framing}\r\n\r\n`;
      assert.equal(read(`${text}HTTP/`), text.length, "what follows belongs to no answer");
      assert.deepEqual(told, [`${status} 1 0`, "end"]);
      assert.ok(answer.keepAliveMs > 0);
    }
  }
});

test("a body without a length ends with its connection, and only such a one does", () => {
  const { answer, read, taken } = parser();
  answer.expect("GET");
  read("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\nall");
  assert.deepEqual(taken(), ["200 1 0", "all"]);
  assert.equal(answer.keepAliveMs, 0);
  assert.equal(answer.finish(), true);
  assert.deepEqual(taken(), ["end"]);
  for (const cut of [
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n",
  ]) {
    const broken = parser();
    broken.answer.expect("GET");
    broken.read(cut);
    assert.equal(broken.answer.finish(), false, cut);
    assert.ok(!broken.told.includes("end"), cut);
  }
});

test("a body in chunks is read anew after each answer, however the one before was written", () => {
  const { answer, read, taken } = parser();
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const trailer = `X-A: ${"x".repeat(16_000)}\r\n`;
  for (let round = 0; round < 3; round++) {
    answer.expect("GET");
    const extension = "e".repeat(16_000);
    const text = `${head}2;${extension}\r\nok\r\n0\r\n${trailer}\r\n`;
    assert.equal(read(text), text.length);
    assert.deepEqual(taken(), ["200 1 0", "ok", "end"]);
  }
});

test("a head has at most 16 kB, in one piece or in several", () => {
  const start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ";
  const head = (bytes: number): string => `${start}${"x".repeat(bytes - start.length)}\r\n\r\n`;
  for (const pieces of [1, 2, 3]) {
    const inPieces = (text: string): (() => void) => {
      const { answer, read } = parser();
      const size = Math.ceil(text.length / pieces);
      return () => {
        answer.expect("GET");
        for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
        assert.ok(answer.keepAliveMs > 0);
      };
    };
    inPieces(head(16 * 1024))();
    assert.throws(inPieces(head(16 * 1024 + 1)), TOO_LARGE, `${pieces} pieces`);
    assert.throws(inPieces(head(40_000)), TOO_LARGE, `${pieces} pieces`);
  }
});
