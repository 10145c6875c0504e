/** The target of a request may be a whole URL: RFC 9112 asks every server to accept one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, basic } from "../support/console-call.ts";
import { exchangeBytes } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { TestService } from "../support/service-harness.ts";

/** The answer to one request with these lines. */
function exchange(url: string, ...lines: readonly string[]): Promise<string> {
  return exchangeBytes(url, `${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
}

async function statusOf(url: string, ...lines: readonly string[]): Promise<number> {
  const answer = await exchange(url, ...lines);
  return Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
}

journeys("request targets", {}, (journey) => {
  const host = (): string => new URL(journey.service.url).host;
  const bearer = (): string => `Authorization: Bearer ${journey.service.token}`;
  const to = (start: string, ...more: readonly string[]): Promise<string> =>
    exchange(journey.service.url, `${start} HTTP/1.1`, `Host: ${host()}`, ...more);

  test("a whole URL is answered like its path", async () => {
    const paths = [
      "/healthz",
      "/HEALTHZ",
      "/v2/logs?count=1",
      "/v2/nothing",
      "/echo/a?b=c",
      "/x//y",
    ];
    const answer = async (start: string): Promise<unknown> => {
      const said = await to(start, bearer());
      return [said.slice(0, said.indexOf("\r\n")), said.slice(said.indexOf("\r\n\r\n"))];
    };
    for (const path of paths) {
      const expected = await answer(`GET ${path}`);
      for (const start of [`http://${host()}`, `HTTPS://${host().toUpperCase()}`]) {
        assert.deepEqual(await answer(`GET ${start}${path}`), expected, start + path);
      }
    }
    const dashboard = await answer("GET /?a=b");
    assert.deepEqual(await answer(`GET http://${host()}?a=b`), dashboard);
    assert.deepEqual(await answer(`GET http://${host()}`), dashboard);
    assert.match(await to(`GET http://${host()}/v2/keys`), /^HTTP\/1\.1 401 /);
  });

  test("the URL of a destination in the path is not taken for the server's", async () => {
    const { destination, service } = journey;
    const publish = `/v2/publish/${destination.url}/whole?a=http://b`;
    assert.match(await to(`POST http://${host()}${publish}`, bearer()), /^HTTP\/1\.1 200 /);
    const [request] = await destination.received("/whole");
    assert.equal(request.url, "/whole?a=http://b");
    const rows = await service.rowCount();
    assert.match(await to(`POST ${destination.url}/whole`, bearer()), /^HTTP\/1\.1 400 /);
    assert.equal(await service.rowCount(), rows);
  });

  test("what is no URL of http, or has user info or another host, is refused", async () => {
    const { port } = new URL(journey.service.url);
    const otherHosts = ["http://evil.example", "http://127.0.0.1", `http://localhost:${port}`];
    for (const target of otherHosts) {
      const answer = await to(`GET ${target}/healthz`);
      assert.match(answer, /^HTTP\/1\.1 400 .*"error":"Host: is not .*"field":"Host"/s, target);
    }
    const refused = [
      `ftp://${host()}/healthz`,
      `https:/${host()}/healthz`,
      "http:///healthz",
      "http://?a",
      `http://ann@${host()}/healthz`,
      `http://ann:secret@${host()}/healthz`,
      `http://${host()}@evil.example/healthz`,
      `http://${host()}\\healthz`,
      `http://${host()}#/healthz`,
      "http://[::1/healthz",
      "http://127.0.0.1:99999/healthz",
      `${host()}/healthz`,
      "healthz",
      "*",
    ];
    for (const target of refused) {
      const answer = await to(`GET ${target}`);
      assert.match(answer, /^HTTP\/1\.1 400 .*"code":"invalid-request"/s, target);
      assert.equal(await statusOf(journey.service.url, `GET ${target} HTTP/1.0`), 400, target);
    }
  });

  test("the port of the scheme may be left out of the target or of Host", async () => {
    const hosts = [
      ["http://localhost/healthz", "localhost:80"],
      ["http://LOCALHOST:80/healthz", "localhost"],
      ["https://localhost:443/healthz", "localhost"],
      ["http://[::1]/healthz", "[::1]:80"],
    ] as const;
    for (const [target, named] of hosts) {
      const lines = [`GET ${target} HTTP/1.1`, `Host: ${named}`];
      assert.equal(await statusOf(journey.service.url, ...lines), 200, target);
    }
    const other = ["GET http://localhost:443/healthz HTTP/1.1", "Host: localhost"];
    assert.equal(await statusOf(journey.service.url, ...other), 400);
  });

  test("a missing or repeated Host is refused as ever, and HTTP/1.0 needs none", async () => {
    const start = `GET http://${host()}/healthz HTTP/1`;
    const { url } = journey.service;
    assert.match(await exchange(url, `${start}.1`), /"error":"Host: is missing"/);
    const twice = [`${start}.1`, `Host: ${host()}`, `Host: ${host()}`];
    assert.match(await exchange(url, ...twice), /"error":"Host: is given twice"/);
    assert.equal(await statusOf(url, `${start}.1`, "Host:"), 400);
    assert.equal(await statusOf(url, `${start}.0`), 200);
    assert.equal(await statusOf(url, "GET http://evil.example/healthz HTTP/1.0"), 403);
  });
});

/** The operator's list of users, at one address and under the name of another. */
function users(at: string, named: string): Promise<number> {
  const { host } = new URL(named);
  const start = `GET http://${host}/v2/svc/users HTTP/1.1`;
  return statusOf(at, start, `Host: ${host}`, `Authorization: ${basic(ADMIN)}`);
}

/** A target for one host, and a Host for another, pass no check that reads one of them. */
const PAIRS = [
  ["localhost", "evil.example"],
  ["evil.example", "localhost"],
] as const;

test("a host that may not be named is refused in a target too", async (context) => {
  const { url } = await TestService.startFor(context);
  const named = (host: string) =>
    exchange(url, `GET http://${host}/healthz HTTP/1.1`, `Host: ${host}`);
  assert.match(await named("localhost"), /^HTTP\/1\.1 200 /);
  assert.match(await named("evil.example"), /^HTTP\/1\.1 403 .*"code":"not-local"/s);
  for (const [target, host] of PAIRS) {
    const lines = [`GET http://${target}/healthz HTTP/1.1`, `Host: ${host}`];
    assert.equal(await statusOf(url, ...lines), 400, target);
  }
});

test("the metrics are for a target of the machine itself alone", async (context) => {
  const { url } = await TestService.startFor(context, SERVED);
  const asked = (target: string, ...more: readonly string[]) =>
    statusOf(url, `GET ${target}/metrics HTTP/1.${more.length === 0 ? 0 : 1}`, ...more);
  assert.equal(await asked("http://localhost", "Host: localhost"), 200);
  assert.equal(await asked("http://localhost"), 200);
  assert.equal(await asked(""), 401);
  assert.equal(await asked("http://evil.example"), 401);
  assert.equal(await asked("http://evil.example", "Host: evil.example"), 401);
  for (const [target, host] of PAIRS) {
    assert.equal(await asked(`http://${target}`, `Host: ${host}`), 400, target);
  }
});

test("the console's own port is chosen by the connection, whatever the target names", async (context) => {
  const service = await TestService.startFor(context, { flags: { consolePort: "0" } });
  const { url, consoleUrl } = service.service;
  assert.equal(await users(consoleUrl, consoleUrl), 200);
  assert.equal(await users(url, url), 404);
  assert.equal(await users(url, consoleUrl), 404);
});

test("a page is ours by the host of the target, and https in it sets no cookie of TLS", async (context) => {
  const service = await TestService.startFor(context, SERVED);
  const body = JSON.stringify({ token: service.token });
  const signIn = (target: string, host: string, origin: string): Promise<string> => {
    const head = `POST ${target}/v2/session HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}`;
    const kind = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    return exchangeBytes(service.url, `${head}\r\n${kind}\r\nConnection: close\r\n\r\n${body}`);
  };
  const own = await signIn("https://own.example", "own.example", "http://own.example");
  assert.match(own, /^HTTP\/1\.1 200 .*\r\nSet-Cookie: postrider_session=(?!.*; Secure)/s);
  const other = await signIn("http://own.example", "own.example", "http://evil.example");
  assert.match(other, /^HTTP\/1\.1 403 /);
  for (const [target, host] of [
    ["own.example", "evil.example"],
    ["evil.example", "own.example"],
  ] as const) {
    const said = await signIn(`http://${target}`, host, "http://evil.example");
    assert.match(said, /^HTTP\/1\.1 400 /, target);
  }
});

const SERVED = {
  mode: "serve",
  flags: { egressAllow: "127.0.0.1", secretKey: "a secret key of the tests" },
} as const;
