/** Pages that need no token take up bounded memory, however many are asked for and not read. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { REQUESTS_AT_ONCE_MAX } from "../../src/api/http/server/connection.ts";
import { OWNER_UNREAD_BYTES_MAX, REQUEST_BYTES } from "../../src/api/http/limits/unread-answers.ts";
import { Command } from "../support/command.ts";
import { until } from "../support/eventually.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { call, exchangeBytes } from "../support/http-call.ts";
import { MEMORY_UNKNOWN as skip, peakMebibytes } from "../support/process-memory.ts";

const PAGES = ["/docs", "/openapi.json"];
/** As many as fit into one read of a connection. */
const PIPELINED = 1_700;
const CONNECTIONS = 1_000;
/** Connections full of unread answers, which are more than one address may have. */
const PILED_UP =
  1 + Math.ceil((2 * OWNER_UNREAD_BYTES_MAX) / (REQUESTS_AT_ONCE_MAX * REQUEST_BYTES));
/** With a copy of the page for each request it would be more than 500. */
const GROWTH_MEBIBYTES_MAX = 150;

describe("pages that no caller reads", () => {
  const command = Command.serve({ after }, ["--data", freshFolder({ after })], {}, "dev");
  const sockets: Socket[] = [];
  let url = "";

  before(async () => {
    url = await command.url();
    for (const path of PAGES) assert.equal((await call(url, "GET", path)).status, 200);
  });

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** A connection that asks and does not read. */
  async function ask(text: string): Promise<Socket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.pause();
    await once(socket, "connect");
    socket.write(text);
    return socket;
  }

  async function isAnswering(): Promise<boolean> {
    const { status } = await call(url, "GET", "/docs");
    return status === 200;
  }

  for (const path of PAGES) {
    test(`${path} many times on one connection`, { skip }, async () => {
      const earlier = peakMebibytes(command.pid);
      for (let count = 0; count < 3; count++) await ask(get(path).repeat(PIPELINED));
      await until(isAnswering, "an answer for others");
      const growth = peakMebibytes(command.pid) - earlier;
      assert.ok(growth < GROWTH_MEBIBYTES_MAX, `it grew by ${growth} MiB`);
    });
  }

  test("each on a connection of its own", { skip }, async () => {
    const earlier = peakMebibytes(command.pid);
    const asked = Array.from({ length: CONNECTIONS }, (_, index) => ask(get(PAGES[index % 2]!)));
    await Promise.all(asked);
    await until(isAnswering, "an answer for others");
    const growth = peakMebibytes(command.pid) - earlier;
    assert.ok(growth < GROWTH_MEBIBYTES_MAX, `it grew by ${growth} MiB`);
  });

  test("when unread answers pile up, the oldest connections end and the newest are served", async () => {
    const requests = get("/openapi.json").repeat(REQUESTS_AT_ONCE_MAX);
    for (let count = 0; count < PILED_UP; count++) await ask(requests);
    await until(isAnswering, "an answer for others");
    const [oldest, newest] = [sockets[0]!, sockets.at(-1)!];
    assert.ok((await answersOf(oldest)) < REQUESTS_AT_ONCE_MAX);
    assert.equal(await answersOf(newest), REQUESTS_AT_ONCE_MAX);
  });

  test("a connection is answered so many requests at once, and told when there are more", async () => {
    const health = get("/healthz");
    const last = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    const few = await exchangeBytes(url, health.repeat(REQUESTS_AT_ONCE_MAX - 1) + last);
    assert.deepEqual(statusesIn(few), Array<string>(REQUESTS_AT_ONCE_MAX).fill("200"));

    const many = await exchangeBytes(url, health.repeat(REQUESTS_AT_ONCE_MAX + 5));
    const answered = Array<string>(REQUESTS_AT_ONCE_MAX).fill("200");
    assert.deepEqual(statusesIn(many), [...answered, "429"]);
    assert.match(many, /Retry-After: 1\r\n[^]*at once on one connection/);
  });
});

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** How many answers a connection gets until it has all, or ends. */
async function answersOf(socket: Socket): Promise<number> {
  let count = 0;
  let rest = "";
  socket.on("data", (chunk) => {
    const text = rest + chunk.toString("latin1");
    count += text.split(STATUS_LINE).length - 1;
    rest = text.slice(1 - STATUS_LINE.length);
  });
  socket.resume();
  const isDone = (): boolean => socket.destroyed || count === REQUESTS_AT_ONCE_MAX;
  await until(isDone, "every answer, or the end of the connection");
  return count;
}

const STATUS_LINE = "HTTP/1.1 200 OK\r\n";

function statusesIn(answers: string): string[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]!);
}
