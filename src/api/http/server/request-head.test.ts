import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { readHead } from "./request-head.ts";

function head(headers: Readonly<Record<string, string>> | string[], httpVersion = "1.1") {
  const rawHeaders = Array.isArray(headers) ? headers : Object.entries(headers).flat();
  return readHead({ rawHeaders, httpVersion, url: "/" } as IncomingMessage);
}

const HOST = ["Host", "here"];

test("what the server needs is found, in any case", () => {
  const given = { HOST: "here", authorization: "Bearer x", "CONTENT-length": "12", "X-Other": "y" };
  assert.deepEqual(head(given), { authorization: "Bearer x", bodyBytes: 12 });
  assert.deepEqual(head(HOST), { authorization: undefined, bodyBytes: 0 });
  assert.deepEqual(head([...HOST, "Transfer-Encoding", "Chunked"]).bodyBytes, null);
});

test("a name of the same length is another, and very many headers are refused", () => {
  const given = { Host: "here", Asks: "x", "X-Other-Names": "y", "X-Some-Numbers": "9" };
  assert.deepEqual(head(given), { authorization: undefined, bodyBytes: 0 });
  const many = Array.from({ length: 2_000 }, (_, number) => [`X-${number}`, ""]).flat();
  assert.throws(() => head([...HOST, ...many]), { kind: "headers-too-large" });
});

test("what may stand once is refused when it stands twice", () => {
  for (const name of ["Authorization", "Host", "Transfer-Encoding"]) {
    const twice = [...HOST, name, "chunked", name.toUpperCase(), "chunked"];
    assert.throws(() => head(twice), { kind: "invalid-request" }, name);
  }
});

test("only chunks of HTTP/1.1 are taken", () => {
  for (const [value, version] of [
    ["gzip, chunked", "1.1"],
    ["identity", "1.1"],
    ["chunked", "1.0"],
  ] as const) {
    const given = [...HOST, "Transfer-Encoding", value];
    assert.throws(() => head(given, version), /Transfer-Encoding: must be chunked/, value);
  }
});

test("a host is missed in HTTP/1.1 alone", () => {
  assert.throws(() => head([]), /Host: is missing/);
  assert.deepEqual(head([], "1.0"), { authorization: undefined, bodyBytes: 0 });
});
