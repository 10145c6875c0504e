/** Mistakes that the compiler does not see in JavaScript. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PostriderError } from "../errors.ts";
import { Client } from "./client.ts";

const url = "https://example.com/hook";

function isSaid(pattern: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof PostriderError && pattern.test(error.message);
}

test("what a message cannot be is refused in words, and nothing is sent", async () => {
  let sent = 0;
  const fetch = (): Promise<Response> => {
    sent += 1;
    return Promise.resolve(new Response("{}"));
  };
  const client = new Client({ baseUrl: "http://service", token: "t", fetch });
  for (const [message, pattern] of [
    [undefined, /^a message must be an object/],
    ["http://example.com", /^a message must be an object/],
    [null, /^a message must be an object/],
    [{ body: 1 }, /needs a url, or a urlGroup/],
    [{ url, urlGroup: "news", body: 1 }, /not both/],
    [{ url, body: () => 1 }, /the body is a function/],
    [{ url, body: Symbol("a") }, /the body is a symbol/],
  ] as [never, RegExp][]) {
    await assert.rejects(async () => client.publishJSON(message), isSaid(pattern));
    await assert.rejects(async () => client.batchJSON([message]), isSaid(pattern));
    await assert.rejects(async () => client.queue("q").enqueueJSON(message), isSaid(pattern));
  }
  const object = { url, body: { user: 42 } } as never;
  await assert.rejects(async () => client.publish(object), isSaid(/publishJSON/));
  await assert.rejects(async () => client.queue("q").enqueue(object), isSaid(/enqueueJSON/));
  await assert.rejects(async () => client.batchJSON(object), isSaid(/a list of messages/));
  await assert.rejects(async () => client.batch(object), isSaid(/a list of messages/));
  const none = undefined as never;
  await assert.rejects(async () => client.messages.get(none), isSaid(/a name is needed/));
  const nowhere = { cron: "* * * * *" } as never;
  await assert.rejects(async () => client.schedules.create(nowhere), isSaid(/a name is needed/));
  assert.equal(sent, 0);
  await client.publishJSON({ url });
  assert.equal(sent, 1);
});
