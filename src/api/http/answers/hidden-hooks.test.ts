import assert from "node:assert/strict";
import { test } from "node:test";
import { hideHooks } from "../../../core/views/hide-hooks.ts";
import { withHooksHidden } from "./hidden-hooks.ts";

const SECRET = "Ab3_-fghijKLMN9";
const HOOK = `http://host/v2/workflows/hooks/ann/wfr_1/evt_${SECRET}`;
const encoded = (text: string): string => Buffer.from(text).toString("base64");

async function shown(pieces: readonly (string | Uint8Array)[], isLive?: true): Promise<string[]> {
  const { body } = withHooksHidden({ status: 200, body: pieces, isLive });
  const all: string[] = [];
  for await (const piece of body as AsyncIterable<string>) all.push(piece);
  return all;
}

test("a secret is hidden wherever the pieces of an answer cut it", async () => {
  const large = "a body. ".repeat(800);
  for (const secret of [
    HOOK,
    encoded(`{"hook":"${HOOK}"}`),
    encoded(encoded(HOOK)),
    encoded(encoded(`${HOOK}"`)).replace(/=+$/, ""),
  ]) {
    const text = `{"before":"${large}","secret":"${secret}","after":"${large}"}`;
    const expected = hideHooks(text);
    assert.notEqual(expected, text);
    const from = text.indexOf(secret);
    for (let cut = from - 1; cut <= from + secret.length + 1; cut++) {
      const pieces = await shown([text.slice(0, cut), text.slice(cut)]);
      assert.ok(pieces.join("") === expected, `cut at ${cut - from}`);
    }
    const short = text.slice(from - 1_000, from + 1_000);
    const once = hideHooks(short);
    assert.equal((await shown(short.split(""))).join(""), once, "character by character");
  }
});

test("a secret is hidden that ends with the answer", async () => {
  for (const secret of [HOOK, encoded(HOOK), encoded(encoded(HOOK)).replace(/=+$/, "")]) {
    const pieces = ["a body. ".repeat(800), secret];
    const expected = hideHooks(pieces.join(""));
    assert.notEqual(expected, pieces.join(""));
    assert.equal((await shown(pieces)).join(""), expected);
  }
});

test("pieces of a long answer are passed on before its end, and those of a live one at once", async () => {
  const piece = "a body. ".repeat(8_000);
  assert.equal((await shown([piece, piece, piece])).length, 4);
  assert.deepEqual(await shown(["short", `data: ${HOOK}\n\n`], true), [
    "short",
    `data: ${HOOK.replace(`evt_${SECRET}`, "*".repeat(SECRET.length + 4))}\n\n`,
  ]);
  assert.deepEqual(await shown([]), []);
});

test("no piece ends within a character", async () => {
  for (const end of ["", "x"]) {
    const text = "😀".repeat(5_000) + end;
    const pieces = await shown([text, text]);
    assert.equal(pieces.join(""), text + text);
    for (const piece of pieces) assert.ok(piece.isWellFormed());
  }
});

test("the pieces are given up with the answer", async () => {
  let isClosed = false;
  function* pieces(): Generator<string> {
    try {
      for (;;) yield "a body. ".repeat(8_000);
    } finally {
      isClosed = true;
    }
  }
  const { body } = withHooksHidden({ status: 200, body: pieces() });
  for await (const piece of body as AsyncIterable<string>) {
    assert.ok(piece.length > 0);
    break;
  }
  assert.ok(isClosed);
});

test("a text is hidden at once, bytes that all callers share are passed on, pieces may be bytes", async () => {
  const text = `{"hook":"${HOOK}"}`;
  assert.equal(withHooksHidden({ status: 200, body: text }).body, hideHooks(text));
  const shared = Buffer.from(text);
  assert.equal(withHooksHidden({ status: 200, body: shared }).body, shared);
  assert.deepEqual(await shown([Buffer.from(text)]), [hideHooks(text)]);
  assert.deepEqual(await shown([Buffer.from(text), text], true), [
    hideHooks(text),
    hideHooks(text),
  ]);
});
