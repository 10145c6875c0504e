import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { parseNetwork } from "../../core/policy/egress/address.ts";
import { callerIpReader } from "./caller-ip.ts";
import { ConnectionLimit } from "./connection-limit.ts";

const PROXIES = [parseNetwork("10.0.0.0/8")!];

function requestFrom(remoteAddress: string, forwardedFor: string): IncomingMessage {
  const rawHeaders = ["X-Forwarded-For", forwardedFor];
  return { socket: { remoteAddress }, rawHeaders } as unknown as IncomingMessage;
}

test("an address has so many connections, and may open another when one has ended", () => {
  const limit = new ConnectionLimit([], 2);
  const leave = limit.connected("198.51.100.1");
  assert.ok(leave !== null && limit.connected("198.51.100.1") !== null);
  assert.equal(limit.connected("::ffff:198.51.100.1"), null);
  assert.ok(limit.connected("198.51.100.2") !== null);
  leave();
  assert.ok(limit.connected("198.51.100.1") !== null);
  assert.equal(limit.connected("198.51.100.1"), null);
});

test("addresses of IPv6 count together where one caller has them all", () => {
  const limit = new ConnectionLimit([], 1);
  assert.ok(limit.connected("2001:db8:0:1::1") !== null);
  assert.equal(limit.connected("2001:db8:0:1:ffff::2"), null);
  assert.ok(limit.connected("2001:db8:0:2::1") !== null);
});

test("loopback is not counted", () => {
  const limit = new ConnectionLimit([], 1);
  for (const address of ["127.0.0.1", "127.0.0.1", "::1", "::1", "::ffff:127.0.0.1"]) {
    assert.ok(limit.connected(address) !== null, address);
  }
});

test("behind a trusted proxy requests count for the address that it names", () => {
  const limit = new ConnectionLimit(PROXIES, 1);
  const callerIp = callerIpReader(PROXIES);
  assert.ok(limit.connected("10.0.0.1") !== null);
  assert.ok(limit.connected("10.0.0.1") !== null, "the proxy itself is not counted");
  const leave = limit.requested(requestFrom("10.0.0.1", "198.51.100.1"), callerIp);
  limit.requested(requestFrom("10.0.0.1", "198.51.100.2"), callerIp);
  const second = requestFrom("10.0.0.1", "198.51.100.1");
  assert.throws(() => limit.requested(second, callerIp), { kind: "too-many-requests" });
  leave();
  limit.requested(second, callerIp);
});

test("a header of a caller that is no proxy counts for nothing", () => {
  const limit = new ConnectionLimit(PROXIES, 1);
  const callerIp = callerIpReader(PROXIES);
  const forged = requestFrom("203.0.113.9", "198.51.100.1");
  for (let times = 0; times < 3; times++) limit.requested(forged, callerIp);
  limit.requested(requestFrom("10.0.0.1", "198.51.100.1"), callerIp);
});
