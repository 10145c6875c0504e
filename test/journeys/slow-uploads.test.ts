/** Uploads that announce much and send little take no room from others. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { journeys } from "../support/journeys.ts";

const MEBIBYTE = 1024 * 1024;
const COUNT = 26;

journeys("slow uploads", {}, (journey) => {
  test("a large body is accepted while many others have only been announced", async (t) => {
    const { service, destination } = journey;
    const { hostname, port } = new URL(service.url);
    const sockets = Array.from({ length: COUNT }, () => connect(Number(port), hostname));
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    for (const socket of sockets) socket.on("error", () => undefined);
    const head =
      `POST /v2/publish/${destination.url} HTTP/1.1\r\nHost: x\r\n` +
      `Authorization: Bearer ${service.token}\r\nContent-Length: ${10 * MEBIBYTE}\r\n\r\n`;
    await Promise.all(
      sockets.map((socket) => new Promise<void>((sent) => socket.write(`${head}x`, () => sent()))),
    );
    const body = Buffer.alloc(5 * MEBIBYTE, 7);
    await service.publish(destination.url, { "Svc-Delay": "1h" }, body);
    assert.ok(sockets.every((socket) => !socket.destroyed));
  });
});
