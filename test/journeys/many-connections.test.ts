/** One address cannot take up all connections: those behind a trusted proxy are counted one by one. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { connectionLimits } from "../../src/api/http/limits/connection-limit.ts";
import { openFiles } from "../../src/config/open-files.ts";
import { until } from "../support/eventually.ts";
import { TestService } from "../support/service-harness.ts";

/** What one address may have open: 1,000, or fewer where the process may open few files. */
const { ofAddress: CONNECTIONS_MAX } = connectionLimits(openFiles().callers);
const GREEDY = "203.0.113.7";
const OTHER = "203.0.113.8";

describe("connections of one address", () => {
  let service: TestService;
  const sockets: Socket[] = [];

  before(async () => {
    service = await TestService.start({ flags: { trustedProxies: "127.0.0.1" } });
  });

  after(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  });

  /** Resolves with the first line of what is answered to an upload that goes no further. */
  function upload(address: string): Promise<string> {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(
      `POST /v2/publish/https://example.com HTTP/1.1\r\nHost: ${hostname}:${port}\r\n` +
        `Authorization: Bearer ${service.token}\r\nX-Forwarded-For: ${address}\r\n` +
        "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n",
    );
    return new Promise((resolve, reject) => {
      socket.once("data", (chunk) => resolve(chunk.toString("latin1").split("\r\n")[0]!));
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("closed without an answer")));
    });
  }

  const asked = (address: string) =>
    service.call("GET", "/v2/queues", { headers: { "X-Forwarded-For": address } });

  test("past the limit it is refused, others get in, and so does it when one has ended", async () => {
    const answers: string[] = [];
    while (answers.length < CONNECTIONS_MAX) {
      const length = Math.min(100, CONNECTIONS_MAX - answers.length);
      answers.push(...(await Promise.all(Array.from({ length }, () => upload(GREEDY)))));
    }
    assert.deepEqual([...new Set(answers)], ["HTTP/1.1 100 Continue"]);

    const refused = await asked(GREEDY);
    assert.equal(refused.status, 429, refused.text);
    assert.match(refused.text, /too many connections from this address/);
    assert.match(await upload(GREEDY), /^HTTP\/1\.1 429 /);

    assert.equal((await asked(OTHER)).status, 200);
    assert.equal(await upload(OTHER), "HTTP/1.1 100 Continue");

    sockets[0]!.destroy();
    await until(async () => (await asked(GREEDY)).status === 200, "the address gets in again");
  });
});
