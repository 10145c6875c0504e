import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { parseAddress } from "../../core/policy/egress/address.ts";
import { ListeningAddresses } from "./own-addresses.ts";

/** Whether an address and port are those of a service that listens there. */
function isOwn(host: string, ports: readonly number[], address: string, port = 8080): boolean {
  const own = new ListeningAddresses(undefined);
  own.add(host, ports);
  return own.isOwn(parseAddress(address)!, port);
}

test("an address is ours with a port of ours alone", () => {
  assert.equal(isOwn("192.0.2.1", [8080], "192.0.2.1"), true);
  assert.equal(isOwn("192.0.2.1", [80, 8080], "192.0.2.1"), true);
  assert.equal(isOwn("192.0.2.1", [80], "192.0.2.1"), false);
  assert.equal(isOwn("192.0.2.1", [], "192.0.2.1"), false);
  assert.equal(isOwn("192.0.2.1", [8080], "192.0.2.2"), false);
  assert.equal(isOwn("192.0.2.1", [8080], "2001:db8::1"), false);
  assert.equal(isOwn("192.0.2.1", [8080], "c000:201::1"), false, "it begins with the same bytes");
});

test("a service may listen in several places", () => {
  const own = new ListeningAddresses(undefined);
  own.add("192.0.2.1", [8080]);
  own.add("192.0.2.2", [9090]);
  const places = ["192.0.2.1", "192.0.2.2"].flatMap((address) =>
    [8080, 9090].map((port) => own.isOwn(parseAddress(address)!, port)),
  );
  assert.deepEqual(places, [true, false, false, true]);
});

test("the address of no host reaches any service of the machine", () => {
  for (const address of ["0.0.0.0", "::"]) {
    assert.equal(isOwn("192.0.2.1", [8080], address), true, address);
    assert.equal(isOwn("localhost", [8080], address), true, address);
    assert.equal(isOwn("localhost", [80], address), false, address);
  }
});

test("a service that listens by a name is reached by loopback", () => {
  assert.equal(isOwn("localhost", [8080], "127.0.0.9"), true);
  assert.equal(isOwn("localhost", [8080], "::1"), true);
  assert.equal(isOwn("localhost", [8080], "192.0.2.1"), false);
});

test("a service that listens on all addresses is reached by each of the machine's", () => {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const host of ["0.0.0.0", "::"]) {
    for (const { address } of interfaces) assert.equal(isOwn(host, [8080], address), true, address);
    assert.equal(isOwn(host, [8080], "127.9.9.9"), true);
    assert.equal(isOwn(host, [8080], "192.0.2.77"), false);
  }
});

test("the URL for callers is read, where it is one", () => {
  assert.equal(new ListeningAddresses("https://a.test/x").publicUrl?.host, "a.test");
  assert.equal(new ListeningAddresses(undefined).publicUrl, null);
});
