import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonWithBody } from "./json-pieces.ts";

async function shown(body: Uint8Array, partBytes: number): Promise<unknown> {
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < body.byteLength; start += partBytes) {
      yield Promise.resolve(body.subarray(start, start + partBytes));
    }
  }
  let text = "";
  for await (const piece of jsonWithBody({ messageId: "one" }, parts)) text += piece;
  return JSON.parse(text);
}

test("a text comes out whole, wherever its characters are cut", async () => {
  const body = '"quoted"\\ \u0001 Grüße 🐎 \ufeff end';
  for (const partBytes of [3, 6, 9, 300]) {
    const found = await shown(new TextEncoder().encode(body), partBytes);
    assert.deepEqual(found, { messageId: "one", body });
  }
});

test("what is no text is base64, also when only its last byte is wrong", async () => {
  for (const bytes of [Buffer.from([0xff, 1, 2, 3]), Buffer.from("abcdefgh\xc3", "latin1")]) {
    const found = await shown(bytes, 3);
    assert.deepEqual(found, { messageId: "one", bodyBase64: bytes.toString("base64") });
  }
});
