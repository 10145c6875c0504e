import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "./address.ts";
import { parseAllowEntry, refusal, type EgressPolicy } from "./egress.ts";

function policy(mode: "serve" | "dev", ...allow: string[]): EgressPolicy {
  return { mode, httpsOnly: false, allow: allow.map((text) => parseAllowEntry(text)!) };
}

function isOpen(rules: EgressPolicy, address: string, host = address): boolean {
  return refusal(rules, host, parseAddress(address)!) === null;
}

test("serve reaches public addresses only", () => {
  const serve = policy("serve");
  assert.ok(isOpen(serve, "1.1.1.1"));
  assert.ok(isOpen(serve, "2606:4700::1"));
  for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254", "fd00::1", "0.0.0.0", "::1"]) {
    assert.ok(!isOpen(serve, address), address);
  }
});

test("dev reaches loopback and private addresses, but no metadata", () => {
  const dev = policy("dev");
  for (const address of ["127.0.0.1", "::1", "192.168.0.1", "100.64.0.1", "fd00::1", "1.1.1.1"]) {
    assert.ok(isOpen(dev, address), address);
  }
  for (const address of [
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    "fe80::1",
    "0.0.0.0",
  ]) {
    assert.ok(!isOpen(dev, address), address);
  }
});

test("a network or a host opens what it names", () => {
  const serve = policy("serve", "10.0.0.0/8", "db.internal.", "fd00::/8");
  assert.ok(isOpen(serve, "10.200.0.1"));
  assert.ok(isOpen(serve, "::ffff:10.0.0.1"));
  assert.ok(isOpen(serve, "fd00::1"));
  assert.ok(isOpen(serve, "192.168.0.1", "DB.internal"));
  assert.ok(!isOpen(serve, "192.168.0.1", "xdb.internal"));
  assert.ok(!isOpen(serve, "192.168.0.1"));
});

test("link-local addresses are opened one by one", () => {
  assert.ok(!isOpen(policy("serve", "0.0.0.0/0", "::/0"), "169.254.169.254"));
  assert.ok(!isOpen(policy("serve", "169.254.169.0/24"), "169.254.169.254"));
  assert.ok(!isOpen(policy("serve", "64:ff9b::/96"), "64:ff9b::169.254.169.254"));
  assert.ok(!isOpen(policy("serve", "fd00::/8"), "fd00:ec2::254"));
  assert.ok(isOpen(policy("serve", "169.254.169.254"), "169.254.169.254"));
  assert.ok(isOpen(policy("serve", "169.254.169.254/32"), "169.254.169.254"));
  assert.ok(isOpen(policy("serve", "[fd00:ec2::254]"), "fd00:ec2::254"));
  assert.ok(isOpen(policy("serve", "metadata.internal"), "169.254.169.254", "metadata.internal"));
});

test("an entry that is neither address, network nor name is refused", () => {
  for (const text of [
    "",
    "10.0.0.0/33",
    "10.0.0",
    "1234",
    "a b",
    "http://x",
    "x:80",
    "-x",
    "*.x",
  ]) {
    assert.equal(parseAllowEntry(text), null, text);
  }
});
