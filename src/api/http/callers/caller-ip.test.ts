import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { parseNetwork } from "../../../core/policy/egress/address.ts";
import { callerIpReader } from "./caller-ip.ts";

function ask(proxies: string[], remoteAddress: string, ...forwardedFor: string[]): string {
  const rawHeaders = forwardedFor.flatMap((value) => ["X-Forwarded-For", value]);
  const request = { rawHeaders, socket: { remoteAddress } } as unknown as IncomingMessage;
  return callerIpReader(proxies.map((text) => parseNetwork(text)!))(request);
}

test("without trusted proxies no header is believed", () => {
  assert.equal(ask([], "192.0.2.1", "198.51.100.9"), "192.0.2.1");
  assert.equal(ask(["10.0.0.0/8"], "192.0.2.1", "198.51.100.9"), "192.0.2.1");
});

test("an IPv4 address is shown as one", () => {
  assert.equal(ask([], "::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(ask(["10.0.0.0/8"], "10.0.0.1", "::ffff:192.0.2.1"), "192.0.2.1");
});

test("of what trusted proxies say, the last stranger counts", () => {
  const proxies = ["10.0.0.0/8"];
  assert.equal(ask(proxies, "10.0.0.1", "198.51.100.9"), "198.51.100.9");
  assert.equal(ask(proxies, "10.0.0.1", "1.1.1.1, 198.51.100.9, 10.0.0.2"), "198.51.100.9");
  assert.equal(ask(proxies, "10.0.0.1", "1.1.1.1", "198.51.100.9"), "198.51.100.9");
  assert.equal(ask(proxies, "::ffff:10.0.0.1", "2001:db8::1"), "2001:db8::1");
});

test("each of several proxies is trusted, and no other header is read", () => {
  const proxies = ["10.0.0.0/8", "192.0.2.0/24"];
  assert.equal(ask(proxies, "192.0.2.1", "198.51.100.9, 10.0.0.2"), "198.51.100.9");
  const rawHeaders = ["X-Other", "198.51.100.1", "x-forwarded-FOR", "198.51.100.9", "Via", "1.1"];
  const request = { rawHeaders, socket: { remoteAddress: "10.0.0.1" } };
  const read = callerIpReader(proxies.map((text) => parseNetwork(text)!));
  assert.equal(read(request as unknown as IncomingMessage), "198.51.100.9");
});

test("a connection that has ended already has no address", () => {
  const request = { rawHeaders: [], socket: {} } as unknown as IncomingMessage;
  assert.equal(callerIpReader([parseNetwork("10.0.0.0/8")!])(request), "");
});

test("what is no address is not passed on", () => {
  assert.equal(ask(["10.0.0.0/8"], "10.0.0.1", "<script>"), "10.0.0.1");
  assert.equal(ask(["10.0.0.0/8"], "10.0.0.1"), "10.0.0.1");
  assert.equal(ask(["10.0.0.0/8"], "10.0.0.1", "10.0.0.7"), "10.0.0.7");
});
