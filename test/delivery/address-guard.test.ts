/** Nothing is dialled that the policy does not allow, whatever a name resolves to. */
import assert from "node:assert/strict";
import { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { parseEgressProxy } from "../../src/core/policy/egress/egress.ts";
import { guardedConnect, type GuardOptions } from "../../src/delivery/guard/address-guard.ts";
import type { NameResolver } from "../../src/delivery/guard/name-resolver.ts";
import { ListeningAddresses } from "../../src/delivery/guard/own-addresses.ts";
import type { Inlet } from "../../src/delivery/http/dial.ts";
import type { Target } from "../../src/delivery/http/target.ts";
import { systemClock, type Clock } from "../../src/platform/clock.ts";
import { answered, deliveryTo, policy, send, startCourier } from "./sending.ts";
import { startRaw, startRecorder } from "./server.ts";

const REFUSED = {
  kind: "no-answer",
  error: "destination not allowed (see --egress-allow)",
  final: true,
};

test("literals are refused without a connection", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t, { policy: policy("serve") });
  const hosts = ["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "localhost", "[::1]", "10.0.0.1"];
  for (const host of [...hosts, "169.254.169.254", "0.0.0.0"]) {
    const outcome = await send(courier, deliveryTo(`http://${host}:${server.port}/`));
    assert.deepEqual(outcome, REFUSED, host);
  }
  assert.equal(server.connections(), 0);
});

test("a name that resolves to blocked addresses is refused, with one text for all", async (t) => {
  const addresses = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1"];
  const odd = ["fe80::1%lo", "not an address", "64:ff9b::7f00:1", "0.0.0.0"];
  for (const address of [...addresses, ...odd]) {
    const server = await startRecorder(t);
    const courier = startCourier(t, {
      policy: policy("serve"),
      lookup: () => Promise.resolve([address]),
    });
    const outcome = await send(courier, deliveryTo(`http://evil.test:${server.port}/`));
    assert.deepEqual(outcome, REFUSED, address);
    assert.equal(server.connections(), 0);
  }
});

test("a name that leads to the service itself is refused, in dev too", async (t) => {
  const server = await startRecorder(t);
  const own = new ListeningAddresses(undefined);
  own.add("0.0.0.0", [server.port]);
  const courier = startCourier(t, {
    policy: { ...policy("dev"), own },
    lookup: () => Promise.resolve(["127.0.0.1"]),
  });
  const outcome = await send(courier, deliveryTo(`http://sly.test:${server.port}/echo`));
  assert.deepEqual(outcome, REFUSED);
  assert.equal(server.connections(), 0);
  const echo = await send(courier, deliveryTo(`http://127.0.0.1:${server.port}/echo`));
  assert.equal(answered(echo).status, 200);
});

test("of mixed answers only the allowed ones are dialled", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t, {
    policy: policy("serve", "127.0.0.1/32"),
    lookup: () => Promise.resolve(["169.254.169.254", "10.0.0.1", "::1", "127.0.0.1"]),
  });
  const outcome = await send(courier, deliveryTo(`http://mixed.test:${server.port}/`));
  assert.equal(answered(outcome).status, 200);
  assert.equal(server.received[0]?.headers["host"], `mixed.test:${server.port}`);
});

test("the next allowed address is tried when one does not answer", async (t) => {
  const server = await startRecorder(t);
  const courier = startCourier(t, {
    // Nothing listens at the first.
    lookup: () => Promise.resolve(["127.255.255.254", "127.0.0.1"]),
  });
  const outcome = await send(courier, deliveryTo(`http://two.test:${server.port}/`));
  assert.equal(answered(outcome).status, 200);
});

/** A guard over a name server that answers with these addresses. */
function guardOver(addresses: readonly string[], options: Partial<GuardOptions> = {}) {
  const guard = guardedConnect({
    clock: systemClock,
    policy: policy("dev"),
    resolver: { resolve: () => Promise.resolve(addresses) } as unknown as NameResolver,
    connectTimeoutMs: 10_000,
    extraAuthorities: [],
    proxy: null,
    ...options,
  });
  const inlet = { receive: () => true } as unknown as Inlet;
  return (target: Target, signal = new AbortController().signal) => guard(target, inlet, signal);
}

const CLOSED = ["127.255.255.252", "127.255.255.253", "127.255.255.254"];

test("three addresses are dialled, and the failure is that of the last", async (t) => {
  const { port } = await startRecorder(t);
  const target = { isTls: false, hostname: "many.test", port };
  const third = await guardOver([...CLOSED.slice(1), "127.0.0.1"])(target);
  third.destroy();
  await assert.rejects(guardOver([...CLOSED, "127.0.0.1"])(target), { code: "ECONNREFUSED" });
});

test("nothing is dialled for a delivery that has ended", async (t) => {
  const server = await startRecorder(t);
  const target = { isTls: false, hostname: "late.test", port: server.port };
  await assert.rejects(guardOver(["127.0.0.1"])(target, AbortSignal.abort()));
  assert.equal(server.connections(), 0);
});

test("all addresses share one time limit", async (t) => {
  const server = await startRecorder(t);
  const target = { isTls: false, hostname: "slow.test", port: server.port };
  const seen = [0, 0, 10_000];
  const clock: Clock = { ...systemClock, monotonic: () => seen.shift() ?? 10_000 };
  const connect = guardOver([CLOSED[0]!, "127.0.0.1"], { clock });
  await assert.rejects(connect(target), { code: "ECONNREFUSED" });
  assert.equal(server.connections(), 0);
});

test("behind a proxy a literal that is not allowed is refused by the guard itself", async (t) => {
  const proxy = await startRecorder(t);
  const connect = guardOver([], {
    policy: policy("serve"),
    proxy: parseEgressProxy(`http://127.0.0.1:${proxy.port}`)!,
  });
  for (const hostname of ["10.0.0.1", "127.0.0.1", "::1", "169.254.169.254"]) {
    const error = { message: REFUSED.error, final: true };
    await assert.rejects(connect({ isTls: false, hostname, port: 80 }), error, hostname);
  }
  assert.equal(proxy.connections(), 0);
});

test("a literal is not looked up", async (t) => {
  const { port } = await startRecorder(t);
  const socket = await guardOver(["10.0.0.1"])({ isTls: false, hostname: "127.0.0.1", port });
  assert.equal(socket.remoteAddress, "127.0.0.1");
  socket.destroy();
});

test("a name that is rebound later is judged again", async (t) => {
  const server = await startRecorder(t);
  let aheadMs = 0;
  const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + aheadMs };
  const answers = [["127.0.0.1"], ["169.254.169.254"]];
  const courier = startCourier(t, {
    clock,
    connectionsMax: 1,
    policy: policy("serve", "127.0.0.1/32"),
    lookup: () => Promise.resolve(answers.shift()!),
  });
  // A body with GET makes the client close the connection, so that each send opens its own.
  const delivery = deliveryTo(`http://rebound.test:${server.port}/`, { method: "GET" }, "x");
  answered(await send(courier, delivery));
  answered(await send(courier, delivery));
  aheadMs = 31_000;
  assert.deepEqual(await send(courier, delivery), REFUSED);
  assert.equal(server.received.length, 2);
});

/** Where every socket learns who is at its other end. */
function mockPeer(t: TestContext, peer: { address?: string }) {
  const prototype = Socket.prototype as unknown as { _getpeername: () => { address?: string } };
  return t.mock.method(prototype, "_getpeername", () => peer);
}

test("a peer that is gone at once is no refusal, and is tried again", async (t) => {
  const server = await startRecorder(t);
  mockPeer(t, {});
  const outcome = await send(startCourier(t), deliveryTo(server.url));
  assert.deepEqual(outcome, { kind: "no-answer", error: "connection reset", final: false });
});

for (const scheme of ["http", "https"]) {
  test(`the peer is checked before a byte is written (${scheme})`, async (t) => {
    let bytes = 0;
    const server = await startRaw(t, () => (bytes += 1));
    const asked = mockPeer(t, { address: "10.0.0.1" });
    const courier = startCourier(t, {
      policy: policy("serve", "127.0.0.1/32"),
      lookup: () => Promise.resolve(["127.0.0.1"]),
    });
    const outcome = await send(courier, deliveryTo(`${scheme}://switched.test:${server.port}/`));
    assert.deepEqual(outcome, REFUSED);
    await t.waitFor(() => assert.equal(server.connections(), 1));
    await t.waitFor(() => assert.equal(server.open(), 0));
    assert.ok(asked.mock.callCount() > 0);
    assert.equal(bytes, 0);
  });
}
