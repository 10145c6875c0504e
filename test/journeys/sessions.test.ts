/** Signing in with a browser's cookie, what it opens, and what ends it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { ADMIN, freshAccount } from "../support/console-call.ts";
import { call, type CallAnswer } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { TestService } from "../support/service-harness.ts";

const PAGE = { "Sec-Fetch-Site": "same-origin" };
const JSON_TYPE = { "Content-Type": "application/json" };

journeys("sessions", {}, (journey) => {
  const signIn = (given: unknown, headers: Record<string, string> = PAGE): Promise<CallAnswer> =>
    call(journey.service.url, "POST", "/v2/session", {
      body: JSON.stringify(given),
      headers: { ...JSON_TYPE, ...headers },
    });
  const withCookie = (
    method: string,
    path: string,
    cookie: string,
    headers: Record<string, string> = PAGE,
  ): Promise<CallAnswer> =>
    call(journey.service.url, method, path, { headers: { Cookie: cookie, ...headers } });

  test("a token signs in, and the cookie acts in its place", async () => {
    const { token, id } = await freshAccount(journey.service.url);
    const answer = await signIn({ token });
    assert.deepEqual(
      [answer.json["kind"], answer.json["accountId"], answer.json["scope"]],
      ["account", id, "full"],
    );
    const [set] = answer.headers["set-cookie"] as string[];
    assert.match(set!, /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400$/);
    assert.ok(!set!.includes(token));
    const cookie = cookieOf(answer);
    assert.equal((await withCookie("GET", "/v2/account", cookie)).json["id"], id);
    assert.equal((await withCookie("GET", "/v2/session", cookie)).json["accountId"], id);
    assert.equal((await withCookie("DELETE", "/v2/topics/none", cookie)).status, 200);
  });

  test("a page of another origin may do nothing with it, nor sign a person in", async () => {
    const { token } = await freshAccount(journey.service.url);
    const cookie = cookieOf(await signIn({ token }));
    const { host, hostname, port } = new URL(journey.service.url);
    const foreign: readonly Record<string, string>[] = [
      { "Sec-Fetch-Site": "same-site" },
      { "Sec-Fetch-Site": "none" },
      { Origin: "http://localhost:1" },
      { Origin: `http://${hostname}:${Number(port) - 1}` },
      { Origin: `http://${hostname}` },
      { Origin: `http://${hostname}:${port}0` },
      { Origin: "null" },
      {},
    ];
    for (const headers of foreign) {
      const changed = await withCookie("DELETE", "/v2/topics/none", cookie, headers);
      assert.equal(changed.status, 403, JSON.stringify(headers));
      assert.equal((await signIn({ token }, headers)).status, 403, JSON.stringify(headers));
    }
    const read = (headers: Record<string, string>): Promise<CallAnswer> =>
      withCookie("GET", "/v2/account", cookie, headers);
    assert.equal((await read({ "Sec-Fetch-Site": "same-site" })).status, 403);
    assert.equal((await read({ "Sec-Fetch-Site": "none" })).status, 200);
    assert.equal((await read({})).status, 200);
    const ownOrigin = { Origin: `http://${host}` };
    assert.equal((await withCookie("DELETE", "/v2/topics/none", cookie, ownOrigin)).status, 200);
  });

  test("a read-only token sees and cannot touch", async () => {
    const { record } = await freshAccount(journey.service.url);
    const answer = await signIn({ token: record["read_only_token"] });
    assert.equal(answer.json["scope"], "read-only");
    const cookie = cookieOf(answer);
    assert.equal((await withCookie("GET", "/v2/account", cookie)).status, 200);
    assert.equal((await withCookie("DELETE", "/v2/topics/none", cookie)).status, 403);
    assert.equal((await withCookie("GET", "/v2/keys", cookie)).status, 403);
  });

  test("revocation, rotation and suspension end it", async () => {
    const { url } = journey.service;
    const { token, id, as } = await freshAccount(url);
    const named = await call(url, "POST", "/v2/account/tokens", {
      token,
      body: JSON.stringify({ name: "browser", scope: "full" }),
    });
    const byNamed = cookieOf(await signIn({ token: named.json["token"] }));
    const byToken = cookieOf(await signIn({ token }));
    const byPassword = cookieOf(await signIn({ name: as[0], password: as[1] }));
    const statuses = async (): Promise<readonly number[]> => {
      const answers = [byNamed, byToken, byPassword].map((cookie) =>
        withCookie("GET", "/v2/account", cookie),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await call(url, "DELETE", `/v2/account/tokens/${named.json["id"] as string}`, { token });
    assert.deepEqual(await statuses(), [401, 200, 200]);
    await call(url, "POST", "/v2/account/rotate-token", { token });
    assert.deepEqual(await statuses(), [401, 401, 401]);
    const operator = cookieOf(await signIn({ name: ADMIN[0], password: ADMIN[1] }));
    const { as: other, id: otherId } = await freshAccount(url);
    const suspended = cookieOf(await signIn({ name: other[0], password: other[1] }));
    assert.equal((await withCookie("POST", `/v2/svc/suspend/${otherId}`, operator)).status, 200);
    assert.equal((await withCookie("GET", "/v2/account", suspended)).status, 403);
    assert.notEqual(id, otherId);
  });

  test("the operator sees accounts and nodes, and nothing inside of them", async () => {
    const answer = await signIn({ name: ADMIN[0], password: ADMIN[1] });
    assert.deepEqual([answer.json["kind"], answer.json["accountId"]], ["operator", null]);
    const cookie = cookieOf(answer);
    assert.equal((await withCookie("GET", "/v2/svc/nodes", cookie)).status, 200);
    assert.equal((await withCookie("GET", "/v2/logs", cookie)).status, 403);
    const foreign = { "Sec-Fetch-Site": "same-site" };
    const pause = "/v2/svc/suspend/anything";
    assert.equal((await withCookie("POST", pause, cookie, foreign)).status, 403);
    const { token } = await freshAccount(journey.service.url);
    const account = cookieOf(await signIn({ token }));
    assert.equal((await withCookie("GET", "/v2/svc/nodes", account)).status, 403);
  });

  test("wrong credentials, a forged cookie and a bad body are refused", async () => {
    assert.equal((await signIn({ token: "wrong" })).status, 401);
    assert.equal((await signIn({ name: ADMIN[0], password: "wrong" })).status, 401);
    const bad: readonly [unknown, RegExp][] = [
      [{}, /^name: /],
      [{ name: "a" }, /^password: /],
      [{ token: 5 }, /^token: /],
      [{ token: "a", name: "b" }, /^token: /],
      [{ user: "a" }, /user/],
      [[], /^body: /],
    ];
    for (const [given, expected] of bad) {
      const answer = await signIn(given);
      assert.equal(answer.status, 400, JSON.stringify(given));
      assert.match(answer.json["error"] as string, expected);
    }
    const forged = "postrider_session=v1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    assert.equal((await withCookie("GET", "/v2/account", forged)).status, 401);
    assert.equal((await withCookie("GET", "/v2/svc/nodes", forged)).status, 401);
    const form = { "Content-Type": "text/plain", ...PAGE };
    assert.equal((await signIn({ token: "a" }, form)).status, 400);
  });

  test("of two cookies of the name the valid one counts, and two valid ones are refused", async () => {
    const { url } = journey.service;
    const [mine, other] = [await freshAccount(url), await freshAccount(url)];
    const own = cookieOf(await signIn({ token: mine.token }));
    const others = cookieOf(await signIn({ token: other.token }));
    const forged = "postrider_session=tossed";
    for (const both of [`${forged}; ${own}`, `${own}; ${forged}`, `${own}; ${own}; a=b`]) {
      assert.equal((await withCookie("GET", "/v2/account", both)).json["id"], mine.id);
      assert.equal((await withCookie("GET", "/v2/session", both)).json["accountId"], mine.id);
      assert.equal((await withCookie("DELETE", "/v2/topics/none", both)).status, 200);
    }
    const operator = cookieOf(await signIn({ name: ADMIN[0], password: ADMIN[1] }));
    assert.equal((await withCookie("GET", "/v2/svc/nodes", `${forged}; ${operator}`)).status, 200);
    for (const both of [`${others}; ${own}`, `${own}; ${others}`, `${operator}; ${own}`]) {
      for (const path of ["/v2/account", "/v2/session", "/v2/svc/nodes"]) {
        const refused = await withCookie("GET", path, both);
        assert.equal(refused.status, 403, path);
        assert.match(String(refused.json["error"]), /more than one session/);
      }
    }
    const many = Array.from({ length: 5 }, (_, number) => `${forged}${number}`).join("; ");
    assert.equal((await withCookie("GET", "/v2/account", `${many}; ${own}`)).status, 403);
  });

  test("dev is signed in by itself, and signing out removes the cookie", async () => {
    const { url } = journey.service;
    const first = await call(url, "GET", "/v2/session", { headers: PAGE });
    assert.deepEqual(
      [first.json["accountId"], first.json["isDev"], first.json["scope"]],
      ["defaultUser", true, "full"],
    );
    const cookie = cookieOf(first);
    assert.equal((await withCookie("GET", "/v2/account", cookie)).status, 200);
    const out = await withCookie("DELETE", "/v2/session", cookie);
    assert.match((out.headers["set-cookie"] as string[])[0]!, /^postrider_session=; .*Max-Age=0/);
    const foreign = { "Sec-Fetch-Site": "same-site" };
    assert.equal((await call(url, "GET", "/v2/session", { headers: foreign })).status, 403);
  });
});

test("behind a proxy that changes the host, the public URL tells which page is ours", async (t) => {
  const flags = { publicUrl: "https://post.example.com" };
  const service = await TestService.startFor(t, { flags });
  const signIn = async (origin: string): Promise<number> => {
    const headers = { ...JSON_TYPE, Origin: origin, Host: "127.0.0.1:9999" };
    const body = JSON.stringify({ token: service.token });
    return (await call(service.url, "POST", "/v2/session", { headers, body })).status;
  };
  assert.equal(await signIn("https://post.example.com"), 200);
  assert.equal(await signIn("http://127.0.0.1:9999"), 200);
  assert.equal(await signIn("https://example.com"), 403);
  assert.equal(await signIn("https://post.example.com:8443"), 403);
  assert.equal(await signIn("http://post.example.com"), 403, "port 80 is another origin");
  assert.equal(await signIn("http://post.example.com:443"), 403);
  assert.equal(await signIn("http://127.0.0.1:9998"), 403);
  assert.equal(await signIn("http://127.0.0.1"), 403);
  assert.equal(await signIn("null"), 403);
});

test("under https the cookie belongs to the host alone, and no other name is taken", async (t) => {
  const flags = { publicUrl: "https://post.example.com" };
  const service = await TestService.startFor(t, { mode: "serve", flags });
  const answer = await call(service.url, "POST", "/v2/session", {
    headers: { ...JSON_TYPE, ...PAGE },
    body: JSON.stringify({ token: service.token }),
  });
  const [set] = answer.headers["set-cookie"] as string[];
  assert.match(
    set!,
    /^__Host-postrider_session=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400; Secure$/,
  );
  const cookie = cookieOf(answer);
  const statusWith = async (sent: string): Promise<number> =>
    (await call(service.url, "GET", "/v2/account", { headers: { Cookie: sent, ...PAGE } })).status;
  assert.equal(await statusWith(cookie), 200);
  assert.equal(await statusWith(cookie.replace("__Host-", "")), 401, "a subdomain can set it");
  assert.equal(await statusWith(cookie.replace("__Host-", "__host-")), 401);
  const out = await call(service.url, "DELETE", "/v2/session", { headers: PAGE });
  const [removed] = out.headers["set-cookie"] as string[];
  assert.match(removed!, /^__Host-postrider_session=; Path=\/; .*Max-Age=0; Secure$/);
});

function cookieOf({ headers, status, text }: CallAnswer): string {
  assert.equal(status, 200, text);
  const [set] = headers["set-cookie"] as string[];
  return set!.split(";")[0]!;
}
