/** Many large bodies at once are all accepted, in bounded memory. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { connect } from "node:net";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { journeys } from "../support/journeys.ts";

const MEBIBYTE = 1024 * 1024;
/** Together almost twice what is held in memory. */
const COUNT = 12;

journeys("large bodies", {}, (journey) => {
  test("uploads wait their turn instead of being refused, and arrive unharmed", async () => {
    const { service, destination } = journey;
    const body = Buffer.alloc(10 * MEBIBYTE, 7);
    const expected = createHash("sha256").update(body).digest("hex");
    const hashes: string[] = [];
    destination.respond = (request) => {
      hashes.push(createHash("sha256").update(request.body).digest("hex"));
      // Only the hash is kept, or the test itself would hold everything in memory.
      destination.requests.splice(destination.requests.indexOf(request), 1, {
        ...request,
        body: Buffer.alloc(0),
      });
      return {};
    };
    const ids = await Promise.all(
      Array.from({ length: COUNT }, (_, index) =>
        service.publish(`${destination.url}/large/${index}`, {}, body),
      ),
    );
    for (const messageId of ids) await service.logUntil(messageId, "DELIVERED");
    assert.deepEqual(
      hashes,
      Array.from({ length: COUNT }, () => expected),
    );
  });

  test("a body that comes slowly, in chunks of unknown number, arrives whole", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v2/publish/${destination.url}/slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
        `Authorization: Bearer ${service.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = Buffer.alloc(200_000, 9);
    for (let sent = 0; sent < 5; sent++) {
      socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      socket.write("\r\n");
      await wait(20);
    }
    socket.write("0\r\n\r\n");
    let answer = "";
    for await (const part of socket) answer += String(part);
    assert.match(answer, /^HTTP\/1\.1 200 /);
    const [request] = await destination.received("/slow");
    assert.equal(request.body.length, 5 * chunk.length);
  });
});
