import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutboundRequest } from "./outbound-exchange.ts";
import { mayFollow, requestHead } from "./connection.ts";

function requestOf(method: string, bytes: number | null, headers: string[] = []): OutboundRequest {
  const body = bytes === null ? null : new Uint8Array(bytes);
  return { method, path: "/x?y", headers, body };
}

test("a head has the host, the headers in their order, and the length of a body", () => {
  const request = requestOf("POST", 3, ["A", "1", "b", "2"]);
  const lines = ["host: a.test", "connection: keep-alive", "A: 1", "b: 2", "content-length: 3"];
  assert.equal(
    requestHead(request, "a.test"),
    `POST /x?y HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`,
  );
});

const lengthOf = (method: string, bytes: number | null) =>
  /content-length: (\d+)/.exec(requestHead(requestOf(method, bytes), "a.test"))?.[1];

test("a length is named for a body, and where servers wait for one", () => {
  assert.deepEqual(
    ["POST", "PUT", "PATCH"].map((method) => lengthOf(method, null)),
    ["0", "0", "0"],
  );
  assert.equal(lengthOf("GET", null), undefined);
  assert.equal(lengthOf("DELETE", 0), undefined);
  assert.equal(lengthOf("GET", 1), "1");
});

test("nothing follows on a connection whose server may have left a body unread", () => {
  for (const [method, bytes, follows] of [
    ["POST", 5, true],
    ["POST", null, true],
    ["GET", null, true],
    ["GET", 5, false],
    ["DELETE", 5, false],
    ["DELETE", null, true],
    ["HEAD", null, false],
  ] as const) {
    const request = requestOf(method, bytes);
    assert.equal(mayFollow(request), follows, `${method} ${bytes}`);
    const connection = follows ? "keep-alive" : "close";
    assert.match(requestHead(request, "a.test"), new RegExp(`connection: ${connection}\\r\\n`));
  }
});
