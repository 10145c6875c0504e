/** The answers that are being received share one bound on memory. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, deliveryTo, startCourier, unanswered } from "./sending.ts";
import { startHttp } from "./server.ts";

const KILOBYTE = 1024;

test("answers that do not fit together are received one after the other, and whole", async (t) => {
  const go = Promise.withResolvers<void>();
  let waiting = 0;
  const server = await startHttp(t, async (_request, response) => {
    response.write(Buffer.alloc(400 * KILOBYTE, "x"));
    if (++waiting === 4) go.resolve();
    await go.promise;
    response.end(Buffer.alloc(400 * KILOBYTE, "y"));
  });
  const courier = startCourier(t, { answerMemoryBytesMax: 500 * KILOBYTE });
  const sendings = [1, 2, 3, 4].map(() => courier.send(deliveryTo(server.url)));
  const ended: number[] = [];
  const whole = sendings.map(async (sending, index) => {
    const { body } = answered(await sending.outcome);
    assert.equal(body.length, 800 * KILOBYTE);
    ended.push(index);
  });
  await Promise.race(whole);
  // None of the others can come to its end before the memory of the first is given back.
  const probe = courier.send(deliveryTo(server.url, { timeoutMs: 300 }));
  assert.equal(
    unanswered(await probe.outcome).error,
    "no complete answer within 0.3 s, the timeout of the message",
  );
  assert.equal(ended.length, 1);
  while (ended.length < 4) {
    sendings[ended.at(-1)!]!.release?.();
    await Promise.race(whole.filter((_, index) => !ended.includes(index)));
  }
  sendings[ended.at(-1)!]!.release?.();
  const last = courier.send(deliveryTo(server.url));
  assert.equal(answered(await last.outcome).body.length, 800 * KILOBYTE);
  last.release?.();
});
