/** Bodies in chunks of one byte take no more memory than any other, on the way in and on the way back. */
import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { before, after, describe, test } from "node:test";
import { text } from "node:stream/consumers";
import { listenFor } from "../support/listening.ts";
import { AccountCalls } from "../support/account-calls.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { writeTinyChunks } from "../support/chunk-writer.ts";
import { Command } from "../support/command.ts";

const BODY_BYTES = 500_000;
/** With an object for each chunk, two such bodies are twice the heap of the service. */
const COUNT = 2;
const HEAP_MEGABYTES = 64;
const TOKEN = "a-token-of-my-own";

describe("bodies in chunks of one byte", { timeout: 120_000 }, () => {
  const flags = ["--data", freshFolder({ after }), "--egress-allow", "127.0.0.1"];
  const service = Command.serve({ after }, [...flags, "--min-free-disk", "0"], {
    POSTRIDER_TOKEN: TOKEN,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MEGABYTES}`,
  });
  let url = "";
  before(async () => {
    url = await service.url();
  });

  test("uploads are stored, and leave the heap alone", async () => {
    const { hostname, port } = new URL(url);
    const upload = async (index: number): Promise<string> => {
      const socket = connect(Number(port), hostname);
      const answer = text(socket);
      const head =
        `POST /v2/publish/http://127.0.0.1:1/${index} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n` +
        `Authorization: Bearer ${TOKEN}\r\nSvc-Delay: 1h\r\nTransfer-Encoding: chunked\r\n\r\n`;
      await writeTinyChunks(socket, head, BODY_BYTES);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: COUNT }, (_, index) => upload(index)));
    for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 200 /);
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
