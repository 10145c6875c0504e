import assert from "node:assert/strict";
import { test } from "node:test";
import { ChunkedBody } from "./chunked-body.ts";

/** Reads a whole body as a connection does: the data of its chunks, and whether it is over. */
function read(text: string): { readonly data: string; readonly isOver: boolean } {
  const bytes = Buffer.from(text, "latin1");
  const body = new ChunkedBody();
  let data = "";
  for (let offset = 0; offset < bytes.length && !body.isOver;) {
    offset = body.readFrame(bytes, offset);
    const taken = body.takeData(bytes.length - offset);
    data += bytes.toString("latin1", offset, offset + taken);
    offset += taken;
  }
  return { data, isOver: body.isOver };
}

const trailers = (count: number, bytes: number): string =>
  `0\r\n${`X-A: ${"x".repeat(bytes - "X-A: \r\n".length)}\r\n`.repeat(count)}\r\n`;

test("chunks are joined, extensions and trailers dropped", () => {
  const text = "5;a=1;b\r\nhello\r\n1\r\n!\r\n0\r\nX-Last: 1\r\n\r\n";
  assert.deepEqual(read(text), { data: "hello!", isOver: true });
});

test("all trailers together have at most 16 kB, however small each is", () => {
  const bytesMax = 16 * 1024;
  assert.equal(read(trailers(15, 1_024)).isOver, true);
  assert.equal(read(trailers(1, bytesMax - 2)).isOver, true);
  assert.throws(() => read(trailers(1, bytesMax - 1)), { name: "DeliveryError" });
  assert.throws(() => read(trailers(40, 1_024)), { name: "DeliveryError" });
  assert.throws(() => read(trailers(2_000, 10)), { name: "DeliveryError" });
});

/** A chunk of one byte, with an extension that makes its first line this long. */
const chunkWithLine = (bytes: number): string =>
  `1;${"x".repeat(bytes - "1;\r\n".length)}\r\ny\r\n`;

test("the line of a size has at most 16 kB", () => {
  assert.equal(read(`${chunkWithLine(16 * 1024)}0\r\n\r\n`).data, "y");
  assert.throws(() => read(chunkWithLine(16 * 1024 + 1)), { name: "DeliveryError" });
});

test("all extensions together have at most 16 kB more than the data, however small each is", () => {
  const last = "0\r\n\r\n";
  const signed = `400;a=${"x".repeat(80)}\r\n${"y".repeat(0x400)}\r\n`;
  assert.equal(read(signed.repeat(1_000) + last).data.length, 0x400 * 1_000);
  // Each has a byte of data and 17 of extension.
  const small = "1;12345678901234567\r\ny\r\n";
  assert.equal(read(small.repeat(1_023) + last).data.length, 1_023);
  assert.throws(() => read(small.repeat(1_024) + last), { name: "DeliveryError" });
  // Each has one byte more of extension than of data; the data comes after its extension.
  const least = "1;ab\r\ny\r\n";
  assert.equal(read(least.repeat(16 * 1024 - 1) + last).data.length, 16 * 1024 - 1);
  assert.throws(() => read(least.repeat(16 * 1024) + last), { name: "DeliveryError" });
});

test("a size has one to thirteen digits and nothing else", () => {
  assert.equal(read("000000000000A\r\n0123456789\r\n0\r\n\r\n").data, "0123456789");
  for (const size of ["", "-1", "+1", "0x1", " 1", "1 ", "g", "00000000000001"]) {
    assert.throws(() => read(`${size}\r\nx\r\n0\r\n\r\n`), { name: "DeliveryError" }, size);
  }
});

test("what follows the data of a chunk is a line end", () => {
  assert.throws(() => read("1\r\nxy\r\n0\r\n\r\n"), { name: "DeliveryError" });
  assert.throws(() => read("1\r\nx\n0\r\n\r\n"), { name: "DeliveryError" });
  assert.throws(() => read("1\rx"), { name: "DeliveryError" });
});

test("a body without its last chunk is not over", () => {
  for (const text of ["5\r\nhel", "5\r\nhello\r\n", "0\r\n", "0\r\nX-A: b\r\n"]) {
    assert.equal(read(text).isOver, false, text);
  }
});
