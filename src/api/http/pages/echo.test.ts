import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { Problem } from "../../../core/problem.ts";
import type { Body } from "../server/body.ts";
import type { Api, UnreadCall } from "../server/call.ts";
import { admitEcho } from "./echo.ts";

interface Asked {
  readonly headers?: readonly string[];
  readonly body?: Uint8Array;
  readonly clock?: ManualClock;
  readonly hasEcho?: boolean;
}

async function echo(query: string, asked: Asked = {}) {
  const { headers = [], body = Buffer.alloc(0), clock = new ManualClock(), hasEcho = true } = asked;
  const request = { method: "PUT", url: `/echo/x?${query}`, rawHeaders: headers };
  const call = { request: request as unknown as IncomingMessage, query } as UnreadCall;
  const answerAdmitted = admitEcho({ hasEcho, clock } as unknown as Api, call);
  let bytesMax = 0;
  const read = (most: number): Promise<Uint8Array> => {
    bytesMax = most;
    return Promise.resolve(body);
  };
  const answer = await answerAdmitted({ read } as unknown as Body);
  return { status: answer.status, bytesMax, ...(JSON.parse(answer.body as string) as object) };
}

const refused = (sentence: RegExp) => (error: unknown) =>
  error instanceof Problem && sentence.test(error.message);

test("the echo says what it was sent", async () => {
  assert.deepEqual(await echo("", { body: Buffer.from("hello") }), {
    status: 200,
    bytesMax: 50 * 1024 * 1024,
    echo: "PUT /echo/x?",
    retried: 0,
    body: "hello",
  });
  const long = await echo("", { body: Buffer.alloc(10_001, "a") });
  assert.equal((long as { body?: string }).body?.length, 10_000);
});

test("a status from 200 to 599 is answered as it is asked for, and no other", async () => {
  for (const status of [200, 299, 300, 599]) {
    assert.equal((await echo(`status=${status}`)).status, status);
  }
  for (const status of [199, 600]) {
    await assert.rejects(echo(`status=${status}`), refused(/^status: must be from 200 to 599$/));
  }
  await assert.rejects(echo("status=soon"), refused(/^status: /));
  await assert.rejects(echo("times=-x"), refused(/^times: /));
});

async function tried(query: string, retried: string, name = "Svc-Retried"): Promise<number> {
  return (await echo(query, { headers: [name, retried] })).status;
}

test("so many attempts fail, with the status if it is one of failure, and the next does not", async () => {
  assert.equal(await tried("times=2", "0"), 500);
  assert.equal(await tried("times=2", "1"), 500);
  assert.equal(await tried("times=2", "2"), 200);
  assert.equal(await tried("times=2&status=503", "1"), 503);
  assert.equal(await tried("times=2&status=300", "1"), 300);
  assert.equal(await tried("times=2&status=299", "1"), 500);
  assert.equal(await tried("times=2&status=503", "2"), 200);
  assert.equal(await tried("times=2", "1", "upstash-retried"), 500);
  assert.equal(await tried("times=1", "x"), 500);
});

test("a value that looks like the name of the header is none", async () => {
  const headers = ["X-Note", "Svc-Retried", "Svc-Retried", "4"];
  assert.equal(((await echo("", { headers })) as { retried?: number }).retried, 4);
});

for (const [delay, delayMs] of [
  ["300ms", 300],
  ["2s", 2_000],
  ["10m", 600_000],
] as const) {
  test(`an answer with a delay of ${delay} takes ${delayMs} ms`, async () => {
    const clock = new ManualClock();
    const slept: number[] = [];
    clock.sleep = (ms) => (slept.push(ms), Promise.resolve());
    await echo(`delay=${delay}`, { clock });
    assert.deepEqual(slept, [delayMs]);
  });
}

test("a delay that cannot be read is refused by its name, and none takes no time", async () => {
  await assert.rejects(echo("delay=soon"), refused(/^delay: /));
  await assert.rejects(echo("delay=1234567ms"), refused(/^delay: /));
  await assert.rejects(echo("delay=601s"), refused(/^delay: must be at most 10m$/));
  await echo("");
});

test("a server for others has no echo", async () => {
  await assert.rejects(echo("", { hasEcho: false }), refused(/exists in dev only/));
});
