import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import type { Api } from "./call.ts";
import { ConnectionLimit } from "../limits/connection-limit.ts";
import { ApiServer } from "./server.ts";

const LIMITS = { inAll: 10, ofAddress: 10 };

/** Counts the connections that the server holds. */
class OpenConnections extends ConnectionLimit {
  open = 0;
  override connected = (): (() => void) => {
    this.open += 1;
    return () => (this.open -= 1);
  };
}

async function startServer(t: TestContext, connections: ConnectionLimit) {
  const clock = new ManualClock();
  const server = new ApiServer({ clock, connections } as unknown as Api, []);
  const port = await server.listen(0, "127.0.0.1", 1);
  t.after(() => server.close());
  return { clock, port };
}

/** A client that keeps its side open, whatever the server does. */
async function connectTo(t: TestContext, port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  t.after(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

const PATIENCE_MS = 10_000;

async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!condition()) {
    assert.ok(performance.now() < giveUpAt, "it did not come to be");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a refused connection is gone after a moment, although its client keeps it open", async (t) => {
  const connections = new OpenConnections([], LIMITS);
  const { clock, port } = await startServer(t, connections);
  const socket = await connectTo(t, port);
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  socket.write("NONSENSE\r\n\r\n");
  await once(socket, "end");
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(connections.open, 1);
  clock.advance(2_000);
  await until(() => connections.open === 0);
});

test("a connection too many is told so, and gone at once", async (t) => {
  const connections = new ConnectionLimit([], { ...LIMITS, inAll: 0 });
  const { port } = await startServer(t, connections);
  const socket = await connectTo(t, port);
  let answer = "";
  socket.on("data", (chunk) => (answer += String(chunk)));
  await once(socket, "end");
  assert.match(answer, /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*too many connections/);
});
