import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { answerFile, staticFile } from "./static-file.ts";

const TEXT = "a page. ".repeat(100);

function asked(headers: Readonly<Record<string, string>>, text = TEXT) {
  const request = { headers } as unknown as IncomingMessage;
  const answer = answerFile(staticFile(text, "text/css"), request, "no-cache");
  const list = answer.headers ?? [];
  const valueOf = (name: string) => list[list.indexOf(name) + 1 || list.length];
  return { ...answer, valueOf };
}

test("a caller that takes gzip gets it, and is told; any other gets the text", () => {
  const packed = asked({ "accept-encoding": "br, gzip" });
  assert.equal(gunzipSync(packed.body as Uint8Array).toString(), TEXT);
  assert.equal(packed.valueOf("Content-Encoding"), "gzip");
  for (const headers of [{}, { "accept-encoding": "br" }, { "accept-encoding": "gzip;q=0" }]) {
    const plain = asked(headers);
    assert.equal(Buffer.from(plain.body as Uint8Array).toString(), TEXT);
    assert.equal(plain.valueOf("Content-Encoding"), undefined);
    assert.equal(plain.valueOf("Vary"), "Accept-Encoding");
  }
});

test("a caller that has the file is told so, and one that has another gets it", () => {
  const tag = asked({}).valueOf("ETag")!;
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*", " * "]) {
    const { status, body, valueOf } = asked({ "if-none-match": known });
    assert.deepEqual([status, body, valueOf("ETag")], [304, "", tag], known);
    assert.equal(valueOf("Cache-Control"), "no-cache");
  }
  for (const other of [asked({}, "another").valueOf("ETag")!, tag.slice(0, -2), "", "**"]) {
    assert.equal(asked({ "if-none-match": other }).status, 200, other);
  }
});
