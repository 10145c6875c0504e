import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "./address.ts";
import {
  type EgressPolicy,
  mayDial,
  parseAllowEntry,
  refusal,
  parseEgressProxy,
} from "./egress.ts";

function policy(mode: "serve" | "dev", ...allow: string[]): EgressPolicy {
  return { mode, httpsOnly: false, allow: allow.map((text) => parseAllowEntry(text)!) };
}

function isOpen(rules: EgressPolicy, address: string, host = address): boolean {
  return refusal(rules, host, parseAddress(address)!, 443) === null;
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
  for (const text of ["", "10.0.0.0/33", "10.0.0", "1234", "a b", "http://x", "-x", "*.x"]) {
    assert.equal(parseAllowEntry(text), null, text);
  }
});

test("an entry with a port opens that port only", () => {
  const serve = policy(
    "serve",
    "10.0.0.0/8:8080",
    "[fd00::1]:443",
    "db.internal:5432",
    "[::1/128]:9",
  );
  const isOpenAt = (address: string, port: number, host = address): boolean =>
    refusal(serve, host, parseAddress(address)!, port) === null;
  assert.deepEqual(
    [8080, 8081].map((port) => isOpenAt("10.1.2.3", port)),
    [true, false],
  );
  assert.deepEqual(
    [443, 80].map((port) => isOpenAt("fd00::1", port)),
    [true, false],
  );
  assert.deepEqual(
    [5432, 80].map((port) => isOpenAt("192.168.1.1", port, "db.internal")),
    [true, false],
  );
  for (const text of ["host:0", "host:65536", "host:", ":80", "10.0.0.0/8:x", "fd00::1]:80"]) {
    assert.equal(parseAllowEntry(text), null, text);
  }
  // Without brackets this is an address, and not a port.
  assert.deepEqual(parseAllowEntry("fd00::1:8080")?.port, null);
});

test("the service itself is opened only by naming its port", () => {
  const own = { isOwn: (_: Uint8Array, port: number) => port === 8080, publicUrl: null };
  const found = (rules: EgressPolicy, host: string): unknown =>
    refusal({ ...rules, own }, host, parseAddress("127.0.0.1")!, 8080);
  assert.equal(found(policy("dev"), "127.0.0.1"), "own");
  assert.equal(found(policy("serve", "127.0.0.0/8", "localhost"), "localhost"), "own");
  assert.equal(found(policy("serve", "127.0.0.1:8080"), "127.0.0.1"), null);
  assert.equal(found(policy("serve", "localhost:8080"), "localhost"), null);
  assert.equal(found(policy("serve", "localhost:8081"), "localhost"), "own");
  const dev = { ...policy("dev"), own };
  const mayDialOwn = (host: string): boolean =>
    mayDial(dev, host, parseAddress("127.0.0.1")!, 8080);
  // Its path was checked for these names; for another name with the same address it was not.
  assert.deepEqual(["127.0.0.1", "localhost", "sly.test"].map(mayDialOwn), [true, true, false]);
  const serve = { ...policy("serve"), own };
  assert.equal(mayDial(serve, "127.0.0.1", parseAddress("127.0.0.1")!, 8080), false);
});

function dials(rules: EgressPolicy, host: string, address: string): boolean {
  return mayDial(rules, host, parseAddress(address)!, 443);
}

test("any other address is dialed by the same rules as it is accepted", () => {
  assert.equal(dials(policy("serve"), "example.test", "1.1.1.1"), true);
  assert.equal(dials(policy("serve"), "example.test", "10.0.0.1"), false);
  assert.equal(dials(policy("dev"), "example.test", "10.0.0.1"), true);
  assert.equal(dials(policy("dev"), "169.254.169.254", "169.254.169.254"), false);
});

test("a proxy is a host with a port, and credentials where it asks for them", () => {
  const plain = { isTls: false, host: "proxy.test", port: 3128, credentials: null };
  assert.deepEqual(parseEgressProxy("http://proxy.test:3128"), plain);
  assert.deepEqual(parseEgressProxy("http://proxy.test:3128/"), plain);
  assert.deepEqual(parseEgressProxy("HTTP://proxy.test"), { ...plain, port: 80 });
  assert.deepEqual(parseEgressProxy("https://proxy.test"), { ...plain, isTls: true, port: 443 });
  assert.deepEqual(parseEgressProxy("http://[::1]:3128"), { ...plain, host: "::1" });
  assert.equal(parseEgressProxy("http://me:p%40ss@proxy.test")?.credentials, "me:p@ss");
  assert.equal(parseEgressProxy("http://me@proxy.test")?.credentials, "me:");
});

test("anything else is none", () => {
  const wrong = [
    "",
    "proxy.test:3128",
    "socks5://proxy.test",
    "http://",
    "http://:3128",
    "http://proxy.test:0",
  ];
  const extra = ["http://proxy.test/path", "http://proxy.test?x=1", "http://proxy.test/#x"];
  const unsendable = ["http://a%3Ab:c@proxy.test", "http://a:%0d%0a@proxy.test", "http://a:%ff@p"];
  for (const text of [...wrong, ...extra, ...unsendable]) {
    assert.equal(parseEgressProxy(text), null, text);
  }
});
