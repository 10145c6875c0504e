/** Bodies in chunks of one byte take no more time and memory than any other: many are refused. */
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { before, after, describe, test } from "node:test";
import { listenFor } from "../support/listening.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { tinyChunks, writeChunks, writeTinyChunks } from "../support/chunk-writer.ts";
import { Command } from "../support/command.ts";

const BODY_BYTES = 500_000;
/** With an object for each chunk, two such bodies are twice the heap of the service. */
const COUNT = 2;
const HEAP_MEGABYTES = 64;
/** Each takes six bytes on the way: together more than twice what the network holds. */
const REFUSED_BYTES = 5_000_000;
const TOKEN = "a-token-of-my-own";

describe("bodies in chunks of one byte", { timeout: 240_000 }, () => {
  const flags = ["--data", freshFolder({ after }), "--egress-allow", "127.0.0.1"];
  const service = Command.serve({ after }, [...flags, "--min-free-disk", "0"], {
    POSTRIDER_TOKEN: TOKEN,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}`,
  });
  let url = "";
  before(async () => {
    url = await service.url();
  });

  const publishing = (index: number): string =>
    uploadTo(
      `/v2/publish/http://127.0.0.1:1/${index}`,
      `Authorization: Bearer ${TOKEN}\r\nSvc-Delay: 1h\r\nConnection: close\r\n`,
    );

  /** The answer, and how many bytes the service let the client send. */
  async function upload(start: string, chunks: Iterable<Uint8Array>) {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (chunk) => (answer += String(chunk)));
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await writeChunks(socket, start, chunks);
    await closed;
    return { answer, sentBytes: socket.bytesWritten };
  }

  test("uploads of many are refused with what to do, and leave the heap alone", async () => {
    const uploads = Array.from({ length: COUNT }, (_, index) =>
      upload(publishing(index), tinyChunks(BODY_BYTES)),
    );
    for (const { answer } of await Promise.all(uploads)) {
      assert.match(answer, /^HTTP\/1\.1 400 [^]*send larger chunks/);
    }
  });

  test("neither extensions of chunks nor trailers change that", async () => {
    const extended = Buffer.from("1;a=b\r\nx\r\n".repeat(1_000));
    const { answer } = await upload(publishing(0), Array<Buffer>(20).fill(extended));
    assert.match(answer, /^HTTP\/1\.1 400 /);
    const chunks = [...tinyChunks(20_000)].slice(0, -1);
    const trailed = await upload(publishing(0), [...chunks, Buffer.from("0\r\nA: b\r\n\r\n")]);
    assert.match(trailed.answer, /^HTTP\/1\.1 400 [^]*send larger chunks/);
  });

  test("a client that writes each small event by itself is served", async () => {
    for (const [bytes, count] of [
      [1, 9_000],
      [100, 15_000],
    ] as const) {
      const chunk = Buffer.from(`${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`);
      const chunks = [...Array<Buffer>(count).fill(chunk), Buffer.from("0\r\n\r\n")];
      const { answer } = await upload(publishing(0), [Buffer.concat(chunks)]);
      assert.match(answer, /^HTTP\/1\.1 200 /);
    }
  });

  test("after a refusal few are read before the connection is closed", async () => {
    for (const path of ["/v2/batch", "/healthz", "/no/such/path"]) {
      const { answer, sentBytes } = await upload(uploadTo(path, ""), tinyChunks(REFUSED_BYTES));
      assert.match(answer, /^HTTP\/1\.1 (401|404|405) /, path);
      assert.ok(sentBytes < 3 * REFUSED_BYTES, `${path}: ${sentBytes} bytes were taken`);
    }
  });

  test("answers of destinations leave the heap alone", async (t) => {
    const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const destination = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => void writeTinyChunks(socket, head, BODY_BYTES));
      socket.resume();
    });
    const port = await listenFor(t, destination);
    const account = new AccountCalls(url, TOKEN);
    const ids = await Promise.all(
      Array.from({ length: COUNT }, (_, index) =>
        account.publish(`http://127.0.0.1:${port}/${index}`, {}, "x"),
      ),
    );
    for (const id of ids) await account.logUntil(id, "DELIVERED");
  });
});

function uploadTo(path: string, more: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${more}Transfer-Encoding: chunked\r\n\r\n`;
}
