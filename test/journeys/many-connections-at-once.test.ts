/** Many connections in the same instant: each gets an answer, or is told when to come again. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { text } from "node:stream/consumers";
import { openFiles } from "../../src/config/open-files.ts";
import { shareOpenFiles } from "../../src/core/policy/limits/open-files.ts";
import { Command } from "../support/command.ts";
import { freshFolder } from "../support/fresh-folder.ts";
import { freshDatabase, postgresMissing } from "../support/postgres-url.ts";

const TOKEN = "a-token-for-many-connections";
/** As many as this process, the service and the system can have. */
const CONNECTIONS = Math.min(2_000, openFiles().callers, waitingMax());
const KEY = ["--secret-key", "a-secret-key-of-many-connections"];
const ANSWERED = /^HTTP\/1\.1 (200 |503 [^]*Retry-After: \d)/;

test("connections of one instant are all answered", { timeout: 120_000 }, async (t) => {
  await requireAnswered(t, await serve(t));
});

const onPostgres = { timeout: 120_000, skip: postgresMissing() };
test("they are on PostgreSQL too", onPostgres, async (t) => {
  const database = await freshDatabase();
  t.after(() => database.drop());
  await requireAnswered(t, await serve(t, undefined, ["--database-url", database.url, ...KEY]));
});

async function requireAnswered(t: TestContext, { command, url }: Served): Promise<void> {
  // While the process does nothing, the system itself must take the connections.
  command.signal("SIGSTOP");
  t.after(() => command.signal("SIGCONT"));
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(t, url)));
  const answers = Promise.all(sockets.map((socket, index) => publish(socket, index)));
  command.signal("SIGCONT");
  for (const answer of await answers) assert.match(answer, ANSWERED);
}

test("a connection too many is told so, also when it has sent a request", async (t) => {
  const { command, url } = await serve(t, 256);
  const { callers } = shareOpenFiles(256);
  const idle = await Promise.all(Array.from({ length: callers }, () => open(t, url)));
  assert.equal(idle.length, callers);
  command.signal("SIGSTOP");
  t.after(() => command.signal("SIGCONT"));
  const late = await Promise.all(Array.from({ length: 10 }, () => open(t, url)));
  const answers = Promise.all(late.map((socket, index) => publish(socket, index)));
  command.signal("SIGCONT");
  for (const answer of await answers) {
    assert.match(answer, /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*too many connections/);
  }
});

interface Served {
  readonly command: Command;
  readonly url: string;
}

async function serve(
  t: TestContext,
  openFilesMax?: number,
  store: readonly string[] = ["--data", freshFolder(t)],
): Promise<Served> {
  const flags = [...store, "--egress-allow", "127.0.0.0/8", "--min-free-disk", "0"];
  const command = Command.serve(t, flags, { POSTRIDER_TOKEN: TOKEN }, "serve", openFilesMax);
  return { command, url: await command.url() };
}

async function open(t: TestContext, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** All that comes back; a connection that is reset fails the test. */
function publish(socket: Socket, index: number): Promise<string> {
  const body = "x".repeat(BODY_BYTES);
  socket.write(
    `POST /v2/publish/http://127.0.0.1:1/${index} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
      `Authorization: Bearer ${TOKEN}\r\nSvc-Delay: 1h\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${body}`,
  );
  return text(socket);
}

/** How many connections the system lets wait for a process. */
function waitingMax(): number {
  try {
    return Number(readFileSync("/proc/sys/net/core/somaxconn", "latin1"));
  } catch {
    // The least that systems other than Linux allow.
    return 128;
  }
}

const BODY_BYTES = 10_000;
