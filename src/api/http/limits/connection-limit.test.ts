import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { type Network, parseNetwork } from "../../../core/policy/egress/address.ts";
import { Problem } from "../../../core/problem.ts";
import { callerIpReader } from "../callers/caller-ip.ts";
import { ConnectionLimit, connectionLimits } from "./connection-limit.ts";

const PROXIES = [parseNetwork("10.0.0.0/8")!];

function limitOf(proxies: readonly Network[], ofAddress: number): ConnectionLimit {
  return new ConnectionLimit(proxies, { inAll: 100, ofAddress });
}

const isLetIn = (result: (() => void) | Problem): result is () => void =>
  !(result instanceof Problem);

function requestFrom(remoteAddress: string, forwardedFor: string): IncomingMessage {
  const rawHeaders = ["X-Forwarded-For", forwardedFor];
  return { socket: { remoteAddress }, rawHeaders } as unknown as IncomingMessage;
}

test("an address has so many connections, and may open another when one has ended", () => {
  const limit = limitOf([], 2);
  const leave = limit.connected("198.51.100.1");
  assert.ok(isLetIn(leave) && isLetIn(limit.connected("198.51.100.1")));
  assert.ok(!isLetIn(limit.connected("::ffff:198.51.100.1")));
  assert.ok(isLetIn(limit.connected("198.51.100.2")));
  leave();
  assert.ok(isLetIn(limit.connected("198.51.100.1")));
  assert.ok(!isLetIn(limit.connected("198.51.100.1")));
});

test("addresses of IPv6 count together where one caller has them all", () => {
  const limit = limitOf([], 1);
  assert.ok(isLetIn(limit.connected("2001:db8:0:1::1")));
  assert.ok(!isLetIn(limit.connected("2001:db8:0:1:ffff::2")));
  assert.ok(isLetIn(limit.connected("2001:db8:0:2::1")));
});

test("loopback is not counted by address", () => {
  const limit = limitOf([], 1);
  for (const address of ["127.0.0.1", "127.0.0.1", "::1", "::1", "::ffff:127.0.0.1"]) {
    assert.ok(isLetIn(limit.connected(address)), address);
  }
});

test("behind a trusted proxy requests count for the address that it names", () => {
  const limit = limitOf(PROXIES, 1);
  const callerIp = callerIpReader(PROXIES);
  assert.ok(isLetIn(limit.connected("10.0.0.1")));
  assert.ok(isLetIn(limit.connected("10.0.0.1")), "the proxy itself is not counted");
  const leave = limit.requested(requestFrom("10.0.0.1", "198.51.100.1"), callerIp);
  limit.requested(requestFrom("10.0.0.1", "198.51.100.2"), callerIp);
  const second = requestFrom("10.0.0.1", "198.51.100.1");
  assert.throws(() => limit.requested(second, callerIp), { kind: "too-many-requests" });
  leave();
  limit.requested(second, callerIp);
});

test("a header of a caller that is no proxy counts for nothing", () => {
  const limit = limitOf(PROXIES, 1);
  const callerIp = callerIpReader(PROXIES);
  const forged = requestFrom("203.0.113.9", "198.51.100.1");
  for (let times = 0; times < 3; times++) limit.requested(forged, callerIp);
  limit.requested(requestFrom("10.0.0.1", "198.51.100.1"), callerIp);
});

test("of all connections so many are open, and loopback and proxies count among them", () => {
  const limit = new ConnectionLimit(PROXIES, { inAll: 3, ofAddress: 3 });
  const leave = limit.connected("127.0.0.1");
  assert.ok(isLetIn(limit.connected("10.0.0.1")) && isLetIn(limit.connected("198.51.100.1")));
  const refused = limit.connected("127.0.0.1");
  assert.ok(refused instanceof Problem && refused.kind === "overloaded");
  assert.ok(isLetIn(leave));
  leave();
  assert.ok(isLetIn(limit.connected("127.0.0.1")));
  assert.ok(!isLetIn(limit.connected("198.51.100.1")));
});

test("a connection that is refused for its address does not count among all", () => {
  const limit = new ConnectionLimit([], { inAll: 2, ofAddress: 1 });
  assert.ok(isLetIn(limit.connected("198.51.100.1")));
  for (let times = 0; times < 3; times++) assert.ok(!isLetIn(limit.connected("198.51.100.1")));
  assert.ok(isLetIn(limit.connected("198.51.100.2")));
});

test("one address has a tenth, and enough for a browser", () => {
  assert.deepEqual(connectionLimits(10_000), { inAll: 10_000, ofAddress: 1_000 });
  assert.deepEqual(connectionLimits(40), { inAll: 40, ofAddress: 16 });
});

const refusedMax = (inAll: number) => new ConnectionLimit([], connectionLimits(inAll)).refusedMax;

test("a twentieth of all may be told why they are refused, and a few on a small service", () => {
  assert.deepEqual([refusedMax(10), refusedMax(320), refusedMax(2_019)], [16, 16, 100]);
});

test("a connection that has ended already is counted, and its end too", () => {
  const limit = limitOf([], 1);
  const leave = limit.connected(undefined);
  assert.ok(isLetIn(leave));
  assert.ok(!isLetIn(limit.connected(undefined)));
  leave();
  assert.ok(isLetIn(limit.connected(undefined)));
});
