import assert from "node:assert/strict";
import { test } from "node:test";
import ipaddr from "ipaddr.js";
import {
  addressGroup,
  classifyAddress,
  contains,
  isLoopbackHost,
  parseAddress,
  parseNetwork,
  type AddressClass,
} from "./address.ts";

const EXAMPLES: readonly (readonly [AddressClass, ...string[]])[] = [
  ["public", "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.0"],
  ["public", "11.0.0.0", "128.0.0.1", "192.167.255.255", "192.169.0.0", "223.255.255.255"],
  ["public", "2606:4700::1111", "2a00:1450::1", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"],
  ["private", "10.0.0.1", "172.16.0.0", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
  ["private", "fd00::1", "fc00::", "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1"],
  ["private", "2002:0a00:0001::", "64:ff9b:1:0a00:0:0100::", "::ffff:0:192.168.0.1"],
  ["loopback", "127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1", "::127.0.0.1"],
  ["loopback", "2002:7f00:1::", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::127.0.0.1"],
  ["loopback", "2001:0:808:808::80ff:fffe"],
  ["link-local", "169.254.0.1", "169.254.169.254", "fe80::1", "febf::1", "fd00:ec2::254"],
  ["link-local", "::ffff:a9fe:a9fe", "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::"],
  ["link-local", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd20:ce::254"],
  ["special", "0.0.0.0", "0.1.2.3", "192.0.0.1", "192.0.2.1", "192.88.99.1", "198.18.0.1"],
  ["special", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1"],
  ["special", "255.255.255.255", "::", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b:1::8.8.8.8"],
  ["special", "100::1", "2001:db8::1", "2001:2::1", "2001:0:808:808::f7f7:f7f7", "2002:808:808::"],
  ["special", "5f00::1", "fec0::1", "ff02::1", "3fff::1", "4000::1", "2001:1ff::1"],
];

for (const [expected, ...texts] of EXAMPLES) {
  test(`${expected}: ${texts.join(" ")}`, () => {
    for (const text of texts) {
      const bytes = parseAddress(text);
      assert.ok(bytes, text);
      assert.equal(classifyAddress(bytes), expected, text);
    }
  });
}

test("only plain literals are addresses", () => {
  const wrong = ["", "1", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "0x7f.0.0.1", "1.2.3.4 "];
  const wrongV6 = [":", ":::", "::1%eth0", "fe80::1%25eth0", "[::1]", "1::2::3", "::12345", "::g"];
  const wrongMixed = [
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1.2.3.4::",
    "::1.2.3.4:5",
    "1:2:3:4:5:1.2.3.4:7",
    "::1.2.3",
    "1:2:3:4:5:6:7:1.2.3.4",
  ];
  for (const text of [...wrong, ...wrongV6, ...wrongMixed, "1:2:3:4::5:6:7:8", "example.com"]) {
    assert.equal(parseAddress(text), null, text);
  }
});

test("networks", () => {
  const ten = parseNetwork("10.32.0.0/11");
  assert.ok(ten);
  assert.ok(contains(ten, parseAddress("10.63.255.255")!));
  assert.ok(!contains(ten, parseAddress("10.64.0.0")!));
  assert.ok(!contains(ten, parseAddress("::1")!));
  assert.ok(contains(parseNetwork("::/0")!, parseAddress("2606::1")!));
  assert.deepEqual(parseNetwork("10.0.0.1")?.bits, 32);
  for (const text of ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "10.0.0.0/-1", "x/8"]) {
    assert.equal(parseNetwork(text), null, text);
  }
});

test("agrees with ipaddr.js on 200,000 addresses", () => {
  const random = seededRandom(20261115);
  const seen = new Map<string, number>();
  for (let round = 0; round < 200_000; round++) {
    const bytes = round % 2 === 0 ? randomV4(random) : randomV6(random);
    const theirs = ipaddr.fromByteArray([...bytes]);
    const parsed = parseAddress(theirs.toString());
    assert.ok(parsed, theirs.toString());
    if (!parsed.every((byte, index) => byte === bytes[index + bytes.length - parsed.length])) {
      assert.fail(`${theirs.toString()} was read as ${parsed.join()}`);
    }
    const expected = expectedClass(theirs, bytes);
    const actual = classifyAddress(parsed);
    if (actual !== expected) {
      assert.equal(actual, expected, `${theirs.toString()} is ${theirs.range()} to ipaddr.js`);
    }
    seen.set(theirs.range(), (seen.get(theirs.range()) ?? 0) + 1);
  }
  assert.ok(seen.size >= 20, `reached ${[...seen.keys()].join(" ")}`);
});

type TheirAddress = ReturnType<typeof ipaddr.fromByteArray>;

/**
 * The class that ipaddr.js gives, in our words. We differ on purpose in five ways: addresses that
 * carry an IPv4 address are judged by it; of IPv6 only 2000::/3 is public, and not its protocol
 * assignments 2001::/23 nor the documentation range 3fff::/20; metadata addresses count as
 * link-local wherever they are; AS112 and AMT servers are ordinary public hosts, unless in
 * 2001::/23.
 */
function expectedClass(address: TheirAddress, bytes: Uint8Array): AddressClass {
  const range: string = address.range();
  const literal = address.toNormalizedString();
  if (METADATA.has(literal)) return "link-local";
  if (OUR_WORDS[range] !== undefined) return OUR_WORDS[range];
  if (range === "as112" || (range === "amt" && bytes.length === 4)) return "public";
  if (range === "as112v6" && bytes[0] === 0x26) return "public";
  if (range === "ipv4Mapped") return carried(bytes.slice(12));
  if (range === "rfc6052" && bytes[5] === 0) return carried(bytes.slice(12));
  if (range === "rfc6145") return onlyWorse(carried(bytes.slice(12)));
  if (range === "6to4") return onlyWorse(carried(bytes.slice(2, 6)));
  if (range === "teredo") return onlyWorse(carried(bytes.slice(12).map((byte) => byte ^ 0xff)));
  if (range === "rfc6052") {
    const carriers = [bytes.slice(12), Uint8Array.of(bytes[6]!, bytes[7]!, bytes[9]!, bytes[10]!)];
    return onlyWorse(worst(carriers.map(carried)));
  }
  if (bytes.length === 16 && bytes.slice(0, 12).every((byte) => byte === 0)) {
    return onlyWorse(carried(bytes.slice(12)));
  }
  if (range !== "unicast") return "special";
  if (bytes.length === 4) return "public";
  const ietf = bytes[0] === 0x20 && bytes[1] === 0x01 && bytes[2]! < 2;
  const documentation = bytes[0] === 0x3f && bytes[1] === 0xff && bytes[2]! < 16;
  return bytes[0]! >> 5 === 1 && !ietf && !documentation ? "public" : "special";
}

function carried(v4: Uint8Array): AddressClass {
  return expectedClass(ipaddr.fromByteArray([...v4]), v4);
}

function worst(classes: readonly AddressClass[]): AddressClass {
  const order: readonly AddressClass[] = ["link-local", "loopback", "private", "special", "public"];
  return order.find((candidate) => classes.includes(candidate))!;
}

function onlyWorse(found: AddressClass): AddressClass {
  return found === "public" ? "special" : found;
}

const OUR_WORDS: Readonly<Record<string, AddressClass>> = {
  private: "private",
  uniqueLocal: "private",
  carrierGradeNat: "private",
  loopback: "loopback",
  linkLocal: "link-local",
};

const METADATA = new Set([
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd00:ec2:0:0:0:0:0:254",
  "fd20:ce:0:0:0:0:0:254",
]);

const V4_STARTS = [
  "0",
  "10",
  "100.64",
  "127",
  "169.254",
  "172.16",
  "192.0.0",
  "192.0.2",
  "192.88.99",
]
  .concat(["192.168", "198.18", "198.51.100", "203.0.113", "224", "240", "255.255.255.255"])
  .concat(["192.175.48", "192.31.196", "192.52.193", "168.63.129.16", "100.100.100.200"])
  .map((text) => text.split(".").map(Number));

const V6_STARTS = [
  "::",
  "::ffff:0:0",
  "::ffff:0:0:0",
  "64:ff9b::",
  "64:ff9b:1::",
  "100::",
  "2001::",
  "2001:2::",
]
  .concat(["2001:3::", "2001:4:112::", "2001:10::", "2001:20::", "2001:30::", "2001:db8::"])
  .concat(["2002::", "2620:4f:8000::", "3fff::", "5f00::", "fc00::", "fe80::", "fec0::", "ff00::"])
  .map((text) => ipaddr.IPv6.parse(text).toByteArray());

test("addresses are counted by what one caller can have", () => {
  assert.equal(addressGroup("192.0.2.1"), "192.0.2.1");
  assert.equal(addressGroup("::ffff:192.0.2.1"), "192.0.2.1");
  assert.notEqual(addressGroup("192.0.2.1"), addressGroup("192.0.2.2"));
  const network = addressGroup("2001:db8:1:2:3:4:5:6");
  assert.equal(addressGroup("2001:DB8:1:2::"), network);
  assert.equal(addressGroup("2001:db8:1:2:ffff:ffff:ffff:ffff"), network);
  assert.notEqual(addressGroup("2001:db8:1:3::6"), network);
  assert.equal(addressGroup("fe80::1%eth0"), "fe80::1%eth0");
});

/** Half of them random, half of them at the beginning of a special range. */
function randomV4(random: () => number): Uint8Array {
  const bytes = Uint8Array.from({ length: 4 }, () => random() * 256);
  if (random() < 0.5) bytes.set(V4_STARTS[Math.floor(random() * V4_STARTS.length)]!);
  return bytes;
}

function randomV6(random: () => number): Uint8Array {
  const bytes = Uint8Array.from({ length: 16 }, () => random() * 256);
  if (random() < 0.2) return bytes;
  const start = V6_STARTS[Math.floor(random() * V6_STARTS.length)]!;
  bytes.set(start.slice(0, random() < 0.5 ? 12 : 5));
  if (random() < 0.5) bytes.set(randomV4(random), random() < 0.5 ? 12 : 2);
  if (random() < 0.02) bytes.set([0, 0, 0, 1], 12);
  return bytes;
}

/** mulberry32 */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

test("names and addresses that always mean this machine", () => {
  for (const host of ["localhost", "LocalHost.", "app.localhost", "127.9.9.9", "[::1]", "::1"]) {
    assert.ok(isLoopbackHost(host), host);
  }
  for (const host of ["localhosts", "xlocalhost", "localhost.test", "10.0.0.1", "[::2]", "", "."]) {
    assert.ok(!isLoopbackHost(host), host);
  }
});
