import assert from "node:assert/strict";
import { test } from "node:test";
import { mayBecomeHead, readHead } from "./answer-head.ts";

const head = (...lines: string[]): ReturnType<typeof readHead> =>
  readHead(["HTTP/1.1 200 OK", ...lines].join("\r\n"));
const keptMs = (...lines: string[]): number => head(...lines).keepAliveMs;

test("a connection that any header closes is not kept, whatever the others say", () => {
  assert.ok(keptMs() > 0);
  assert.ok(keptMs("Connection: keep-alive") > 0);
  assert.equal(keptMs("Connection: close"), 0);
  assert.equal(keptMs("Connection: close", "Connection: keep-alive"), 0);
  assert.equal(keptMs("Connection: keep-alive", "Connection: close"), 0);
  assert.equal(keptMs("Connection: X-Other , CLOSE", "Connection: X-More"), 0);
  assert.ok(keptMs("Connection: closed, not-close") > 0);
});

test("an HTTP/1.0 answer is kept only if it says so", () => {
  assert.equal(readHead("HTTP/1.0 200 OK").keepAliveMs, 0);
  assert.equal(readHead("HTTP/1.0 200 OK\r\nConnection: x").keepAliveMs, 0);
  assert.ok(readHead("HTTP/1.0 200 OK\r\nConnection: Keep-Alive").keepAliveMs > 0);
});

test("a connection is kept two seconds less than the destination keeps it, and at most 30 seconds", () => {
  assert.equal(keptMs("Keep-Alive: timeout=5"), 3_000);
  assert.equal(keptMs("Keep-Alive: timeout=2"), 0);
  assert.equal(keptMs("Keep-Alive: timeout=0"), 0);
  assert.equal(keptMs("Keep-Alive: timeout=32"), 30_000);
  assert.equal(keptMs("Keep-Alive: timeout=999999999"), 30_000);
  assert.equal(keptMs("Keep-Alive: max=5"), keptMs());
});

test("a body is framed in one way, or the answer is refused", () => {
  assert.equal(head("Content-Length: 0").transfer, 0);
  assert.equal(head("content-length: 999999999999999").transfer, 999_999_999_999_999);
  assert.equal(head("Transfer-Encoding: gzip, chunked").transfer, "chunked");
  assert.equal(head("Transfer-Encoding: chunked, gzip").transfer, "until-close");
  assert.equal(head().transfer, "until-close");
  for (const lines of [
    ["Content-Length: 1", "Content-Length: 1"],
    ["Content-Length: +1"],
    ["Content-Length: 1000000000000000"],
    ["Content-Length: 1", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
    ["Transfer-Encoding:"],
    ["No colon"],
    ["Blank : before the colon"],
  ]) {
    assert.throws(() => head(...lines), { name: "DeliveryError" }, lines.join(" / "));
  }
});

test("of very many headers the first 256 are kept, and the rest is still obeyed", () => {
  const many = Array.from({ length: 257 }, (_, index) => `X-${index}: ${index}`);
  const { headers, keepAliveMs } = head(...many, "Connection: close");
  assert.equal(headers.length, 256);
  assert.deepEqual(headers.at(-1), ["X-255", "255"]);
  assert.equal(keepAliveMs, 0);
});

test("blanks around a value are no part of it, and those within are", () => {
  for (const line of ["A:b c", "A: b c", "A:b c ", "A: b c  ", "A: \tb c\t \t"]) {
    assert.deepEqual(head(line).headers, [["A", "b c"]], JSON.stringify(line));
  }
  for (const line of ["A:", "A: ", "A: \t "]) assert.deepEqual(head(line).headers, [["A", ""]]);
});

test("a status may come without a reason, and with headers all the same", () => {
  const { status, headers } = readHead("HTTP/1.1 204\r\nA: b");
  assert.deepEqual([status, headers], [204, [["A", "b"]]]);
});

test("a status has three digits, the first of which is not zero", () => {
  assert.equal(readHead("HTTP/1.1 999 \r\nA: b").status, 999);
  for (const line of ["HTTP/1.1 099 x", "HTTP/1.1 20 x", "HTTP/1.1 2000 x", "HTTP/2.0 200 x"]) {
    assert.throws(() => readHead(line), { name: "DeliveryError" }, line);
  }
  for (const line of ["HTTP/1.1 200 OK\nContent-Length: 5", "HTTP/1.1 200 OK\rA: b"]) {
    assert.throws(() => readHead(`${line}\r\nC: d`), { name: "DeliveryError" }, "half a line end");
  }
});

test("bytes that cannot become a head are known before it ends", () => {
  assert.ok(mayBecomeHead("HT"));
  assert.ok(mayBecomeHead("HTTP/1.1 200 OK\r"));
  assert.ok(!mayBecomeHead("SSH-2.0"));
  assert.ok(!mayBecomeHead("HTTP/1.1 200 OK\nA: b"));
  assert.ok(!mayBecomeHead("HTTP/1.1 200 OK\rA: b"));
});
