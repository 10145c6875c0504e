/** Destinations that break an answer off before its end. */
import assert from "node:assert/strict";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

const BROKEN: readonly (readonly [string, string])[] = [
  ["length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"],
  ["no-bytes", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"],
  ["last-chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\n"],
  ["chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nonly this"],
  ["garbled", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nonly this\r\nzz\r\n"],
];

const BROKE = "the connection broke before the end of the answer";
const WHOLE = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Breaks off its answers to the first `count` requests. */
async function startBreaking(text: string, count: number) {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => {
      requests += 1;
      socket.end(requests <= count ? text : WHOLE);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

journeys("broken answers", {}, (journey) => {
  for (const [how, text] of BROKEN) {
    test(`a good status whose body ends early is a failed attempt: ${how}`, async (t) => {
      const { service } = journey;
      const server = await startBreaking(text, 1);
      t.after(server.close);
      const id = await service.publish(server.url, { "Svc-Retry-Delay": "10" });
      const entries = await service.logUntil(id, "DELIVERED");
      assert.deepEqual(
        entries.map(({ state }) => state),
        ["CREATED", "ACTIVE", "ERROR", "RETRY", "ACTIVE", "DELIVERED"],
      );
      assert.equal(entries[2]?.["responseStatus"], 200);
      assert.equal(entries[2]?.["error"], BROKE);
    });
  }

  test("the last attempt that breaks off leaves a dead letter and a failure callback", async (t) => {
    const { service, destination } = journey;
    const server = await startBreaking(BROKEN[0]![1], 9);
    t.after(server.close);
    const id = await service.publish(server.url, {
      "Svc-Retries": "0",
      "Svc-Callback": `${destination.url}/called`,
      "Svc-Failure-Callback": `${destination.url}/failed`,
    });
    const letter = await service.deadLetterOf(id);
    assert.equal(letter["responseBody"], "only this");
    assert.equal(letter["responseBodyTruncated"], true);
    const [failed] = await destination.received("/failed", 1);
    const told = JSON.parse(failed.body.toString()) as Record<string, unknown>;
    assert.equal(told["sourceMessageId"], id);
  });

  test("an error that breaks off is still that error", async (t) => {
    const { service } = journey;
    const server = await startBreaking(BROKEN[0]![1].replace("200 OK", "418 Teapot"), 9);
    t.after(server.close);
    const id = await service.publish(server.url, { "Svc-Retries": "0" });
    assert.equal((await service.deadLetterOf(id))["responseStatus"], 418);
  });
});
