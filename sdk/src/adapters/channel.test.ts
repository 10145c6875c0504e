import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChannel } from "./channel.ts";
import { encodeFrame } from "./channel-frames.ts";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";

/** A response that records what is written to it. */
function recorded() {
  const written: Uint8Array[] = [];
  const response: NodeResponse = {
    writeHead: () => undefined,
    write: (chunk) => written.push(chunk),
    end: () => undefined,
  };
  return { written, response };
}

function requestOf(chunks: AsyncIterable<unknown>): NodeRequest {
  return { headers: {}, [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator]() };
}

const answering = () => Promise.resolve({ status: 200, headers: {}, body: "ok" });

async function* silent(): AsyncGenerator<Uint8Array> {
  yield encodeFrame(0, "", "");
  await new Promise(() => undefined);
}

test("a channel whose sender does not end it is not read any further after a minute", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { written, response } = recorded();
  let isOver = false;
  const over = answerChannel("http://x/", requestOf(silent()), response, answering).finally(() => {
    isOver = true;
  });
  while (written.length === 0) await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(59_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await over;
});

test("what is worked on at once is bounded in bytes", async () => {
  const body = "x".repeat(1_000_000);
  let sent = 0;
  async function* flood(): AsyncGenerator<Uint8Array> {
    for (; sent < 40; sent++) yield encodeFrame(sent + 1, "[]", body);
  }
  const go = Promise.withResolvers<void>();
  const { response } = recorded();
  const slowly = async () => {
    await go.promise;
    return { status: 200, headers: {}, body: "ok" };
  };
  const over = answerChannel("http://x/", requestOf(flood()), response, slowly);
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(sent < 20, `${sent} frames were read`);
  go.resolve();
  await over;
  assert.equal(sent, 40);
});
