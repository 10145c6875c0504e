import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAllowEntry, type EgressPolicy } from "./egress.ts";
import { destinationReader, readDestination } from "./read-destination.ts";

const SERVE: EgressPolicy = { mode: "serve", allow: [], httpsOnly: false };
const DEV: EgressPolicy = { mode: "dev", allow: [], httpsOnly: false };

test("a good destination is ready to be dialled", () => {
  assert.deepEqual(readDestination("https://Example.com:8443/a%20b/?x=1&y#part", SERVE), {
    problem: null,
    host: "example.com:8443",
    origin: "https://example.com:8443",
    path: "/a%20b/?x=1&y",
  });
  assert.deepEqual(readDestination("HTTP://example.com", SERVE), {
    problem: null,
    host: "example.com",
    origin: "http://example.com",
    path: "/",
  });
});

const WRONG: readonly (readonly [RegExp, ...string[]])[] = [
  [
    /has invalid scheme, add http:\/\/ or https:\/\/$/,
    "example.com",
    "ftp://x",
    "",
    "javascript:x",
  ],
  [/has invalid scheme/, "https%3A%2F%2Fexample.com", " https://example.com", "httpss://x"],
  [/one slash after its scheme/, "https:/example.com", "http:/x"],
  [/no host/, "http://", "https:///x", "http://?x", "http://:80/"],
  [/credentials/, "https://x.com:443@127.0.0.1", "http://user@x", "http://@x", "http://:p@x/"],
  [/port 0/, "http://x:0/"],
  [
    /blanks, control characters or backslashes/,
    "http://x/a b",
    "http://x\\y",
    "http://x/\t",
    "http://x/\0",
  ],
  [
    /blanks, control/,
    "http://x/\u00a0",
    "http://x/\u2028",
    "http://x/\u0085",
    "http://x/\r\nHost: y",
  ],
  [/not a valid url/, "http://x:99999", "http://[::1", "http://[fe80::1%25eth0]/", "http://a<b>/"],
  [/longer than 8192/, `http://x/${"a".repeat(8192)}`],
];

for (const [expected, ...texts] of WRONG) {
  test(`refused as ${expected.source}`, () => {
    for (const text of texts) {
      const destination = readDestination(text, DEV);
      assert.match(destination.problem ?? "accepted", expected, text);
      assert.match(destination.problem ?? "", /^invalid destination url: endpoint /);
      assert.ok((destination.problem ?? "").length < 200);
    }
  });
}

/** Every way to write 127.0.0.1 that a URL parser or a resolver accepts. */
const LOOPBACK = ["127.0.0.1", "2130706433", "0x7f000001", "017700000001", "0x7f.1", "127.1"]
  .concat(["0177.0.0.1", "127.0.0.1.", "１２７.０.０.１", "127。0。0。1", "%31%32%37.0.0.1"])
  .concat(["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[2002:7f00:1::]"])
  .concat(["[64:ff9b::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[0:0:0:0:0:0:0:1]"])
  .concat(["localhost", "LOCALHOST", "localhost.", "app.localhost", "localhost.localdomain"])
  .concat(["ip6-localhost", "ｌocalhost"]);

test("loopback is seen through every notation", () => {
  for (const host of LOOPBACK) {
    const destination = readDestination(`http://${host}:3000/`, SERVE);
    assert.match(destination.problem ?? "accepted", /resolves to a loopback address: /, host);
    assert.equal(readDestination(`http://${host}:3000/`, DEV).problem, null, host);
  }
  const refused = readDestination("http://127.0.0.1/", SERVE);
  assert.deepEqual(refused, {
    problem:
      "invalid destination url: endpoint resolves to a loopback address: 127.0.0.1; the operator can open it with --egress-allow",
    refused: true,
  });
});

test("metadata is refused in both modes", () => {
  const hosts = ["169.254.169.254", "2852039166", "0xa9fea9fe", "[::ffff:a9fe:a9fe]", "[fe80::1]"];
  const names = ["metadata.google.internal", "METADATA.goog.", "instance-data"];
  for (const host of [...hosts, ...names, "[fd00:ec2::254]", "168.63.129.16"]) {
    for (const policy of [SERVE, DEV]) {
      assert.match(readDestination(`http://${host}/`, policy).problem ?? "", /link-local/, host);
    }
  }
});

test("private and special addresses are refused in serve", () => {
  assert.match(readDestination("http://10.0.0.1/", SERVE).problem ?? "", /a private address: 10/);
  assert.match(readDestination("http://0.0.0.0/", SERVE).problem ?? "", /a special address: 0/);
});

test("what is allowed by name or network passes", () => {
  const allow = ["localhost", "10.0.0.0/8"].map((text) => parseAllowEntry(text)!);
  const policy: EgressPolicy = { mode: "serve", allow, httpsOnly: false };
  assert.equal(readDestination("http://localhost:3000/", policy).problem, null);
  assert.equal(readDestination("http://10.1.2.3/", policy).problem, null);
  assert.notEqual(readDestination("http://127.0.0.1/", policy).problem, null);
});

test("http can be refused", () => {
  const policy: EgressPolicy = { ...SERVE, httpsOnly: true };
  assert.match(readDestination("http://example.com", policy).problem ?? "", /must use https/);
  assert.equal(readDestination("https://example.com", policy).problem, null);
});

test("a reader says the same again, and forgets the oldest", () => {
  const read = destinationReader(SERVE);
  const first = read("https://example.com/0");
  assert.equal(read("https://example.com/0"), first);
  for (let index = 1; index <= 5000; index++) {
    assert.equal(read(`https://example.com/${index}`).problem, null);
  }
  const again = read("https://example.com/0");
  assert.notEqual(again, first);
  assert.deepEqual(again, first);
});
