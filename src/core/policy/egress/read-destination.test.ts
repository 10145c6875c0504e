import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "./address.ts";
import { parseAllowEntry, type EgressPolicy } from "./egress.ts";
import { destinationReader, hostOf, readDestination } from "./read-destination.ts";

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

const urlOf = (length: number) => "https://example.com/".padEnd(length, "x");

test("only what fits is remembered: 1,024 characters, 4,096 destinations", () => {
  const read = destinationReader(SERVE);
  assert.equal(read(urlOf(1_024)), read(urlOf(1_024)));
  assert.notEqual(read(urlOf(1_025)), read(urlOf(1_025)));
  const first = read(urlOf(1_024));
  for (let index = 1; index < 4_096; index++) read(`https://example.com/${index}`);
  assert.equal(read(urlOf(1_024)), first);
  read("https://example.com/4096");
  assert.notEqual(read(urlOf(1_024)), first);
});

test("a destination may have 8,192 characters", () => {
  assert.equal(readDestination(urlOf(8_192), SERVE).problem, null);
  assert.match(readDestination(urlOf(8_193), SERVE).problem ?? "", /longer than 8192/);
});

const isRefused = (text: string, policy: EgressPolicy) => {
  const destination = readDestination(text, policy);
  return destination.problem === null ? null : destination.refused;
};

test("what is malformed is not called refused, what the policy forbids is", () => {
  for (const text of ["ftp://x", "http://[::1", "http://x:0/"]) {
    assert.equal(isRefused(text, SERVE), false, text);
  }
  assert.equal(isRefused("http://10.0.0.1/", SERVE), true);
  assert.equal(isRefused("http://example.com/", { ...SERVE, httpsOnly: true }), true);
});

/** A service that listens on port 8080 of the loopback address and is reached under a URL. */
function ownPolicy(
  mode: EgressPolicy["mode"],
  publicUrl: string | null,
  ...allow: string[]
): EgressPolicy {
  const loopback = parseAddress("127.0.0.1")!;
  return {
    mode,
    httpsOnly: false,
    allow: allow.map((text) => parseAllowEntry(text)!),
    own: {
      isOwn: (address, port) => port === 8080 && Buffer.compare(address, loopback) === 0,
      publicUrl: publicUrl === null ? null : new URL(publicUrl),
    },
  };
}

const OWN_PROBLEM = /this service itself: (\S+); --egress-allow \1 opens it$/;

test("the service does not send to itself, except in dev to its test destination", () => {
  const dev = ownPolicy("dev", null);
  const problemOf = (path: string, policy = dev) =>
    readDestination(`http://127.0.0.1:8080${path}`, policy).problem;
  for (const path of ["/echo", "/echo/", "/echo/a/b", "/echo?status=500", "/dev/workflow/a"]) {
    assert.equal(problemOf(path), null, path);
    assert.match(problemOf(path, ownPolicy("serve", null)) ?? "", OWN_PROBLEM, path);
  }
  for (const path of [
    "/",
    "/echoes",
    "/v2/publish",
    "/a/echo",
    "/a/echo/",
    "/dev/clock",
    "/dev/workflow/",
  ]) {
    assert.match(problemOf(path) ?? "", /this service itself: 127\.0\.0\.1:8080; /, path);
  }
  assert.match(readDestination("http://localhost:8080/", dev).problem ?? "", OWN_PROBLEM);
  assert.equal(readDestination("http://127.0.0.1:8081/", dev).problem, null);
  assert.equal(problemOf("/", ownPolicy("dev", null, "127.0.0.1:8080")), null);
});

test("a name of this machine means its IPv6 address too", () => {
  const loopback = parseAddress("::1")!;
  const isOwn = (address: Uint8Array) => Buffer.compare(address, loopback) === 0;
  const policy: EgressPolicy = { ...DEV, own: { isOwn, publicUrl: null } };
  assert.match(readDestination("http://localhost/", policy).problem ?? "", OWN_PROBLEM);
  assert.equal(readDestination("http://127.0.0.1/", policy).problem, null);
});

test("its public URL is the service itself too, at and below its path", () => {
  const policy = ownPolicy("serve", "https://example.com/api/");
  for (const path of ["/api", "/api/", "/api/v2/publish", "/api/echo"]) {
    const { problem } = readDestination(`https://example.com${path}`, policy);
    assert.match(problem ?? "", /this service itself: example\.com:443; /, path);
  }
  // A dot at its end makes no other name of it, on either side.
  assert.match(readDestination("https://example.com./api", policy).problem ?? "", OWN_PROBLEM);
  const dotted = ownPolicy("serve", "https://example.com./api");
  assert.match(readDestination("https://example.com/api", dotted).problem ?? "", OWN_PROBLEM);
  for (const url of [
    "https://example.com/",
    "https://example.com/apis",
    "https://example.com:8443/api",
    "https://api.example.com/api",
  ]) {
    assert.equal(readDestination(url, policy).problem, null, url);
  }
  const dev = ownPolicy("dev", "http://example.com/api");
  assert.equal(readDestination("http://example.com/api/echo", dev).problem, null);
  const plain = readDestination("http://example.com/api/x", dev).problem;
  assert.match(plain ?? "", /this service itself: example\.com:80; /);
});

const publishTo = (...allow: string[]) =>
  readDestination("https://Example.com/x", ownPolicy("serve", "https://example.com", ...allow))
    .problem;

test("its public URL is opened by its name and port", () => {
  assert.equal(publishTo("example.com:443"), null);
  for (const entry of ["example.com", "example.com:80", "other.com:443"]) {
    assert.match(publishTo(entry) ?? "", OWN_PROBLEM, entry);
  }
});

test("the host of a destination is its name and port", () => {
  assert.equal(hostOf("https://Example.com:8443/x"), "example.com:8443");
  assert.equal(hostOf("https://example.com:443/x"), "example.com");
  assert.equal(hostOf("no url"), "");
});
