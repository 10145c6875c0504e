import assert from "node:assert/strict";
import { getEventListeners, once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test, type TestContext } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { dial } from "./dial.ts";

/** Dials a port with a server, or one whose server has gone. */
async function dialing(t: TestContext, isOpen: boolean) {
  const server = createServer((socket) => socket.on("error", () => undefined));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  if (isOpen) t.after(() => server.close());
  else await once(server.close(), "close");
  const clock = new ManualClock();
  const abort = new AbortController();
  const limits = { timeoutMs: 4_000, limitMs: 10_000 };
  const connecting = dial({ address: "127.0.0.1", port, ...limits, clock, signal: abort.signal });
  const listeners = (): number => getEventListeners(abort.signal, "abort").length;
  return { connecting, abort, clock, listeners };
}

test("an abort closes a connection at any time", async (t) => {
  const early = await dialing(t, true);
  early.abort.abort();
  await assert.rejects(early.connecting, /^DeliveryError: aborted by the sender$/);
  const late = await dialing(t, true);
  const socket = await late.connecting;
  late.abort.abort();
  assert.ok(socket.destroyed);
});

test("a connection leaves no timer when it has come to stand, and nothing when it has ended", async (t) => {
  const { connecting, clock, listeners } = await dialing(t, true);
  const socket = await connecting;
  assert.equal(clock.alarmCount, 0);
  await once(socket.destroy(), "close");
  assert.equal(listeners(), 0);
  const refused = await dialing(t, false);
  await assert.rejects(refused.connecting, { code: "ECONNREFUSED" });
  await t.waitFor(() => assert.equal(refused.listeners(), 0));
  assert.equal(refused.clock.alarmCount, 0);
});
