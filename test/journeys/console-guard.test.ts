/** How the console and the tokens stand up to guessing, and how fast other nodes know of changes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTwoNodes } from "../support/two-nodes.ts";
import { ADMIN, callConsole, freshAccount } from "../support/console-call.ts";
import { call, type CallAnswer } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { postgresMissing } from "../support/postgres-url.ts";
import { until } from "../support/eventually.ts";
import { TestService } from "../support/service-harness.ts";

test("passwords cannot be guessed at will, and a signed-in user stays signed in", async (context) => {
  const service = await TestService.startFor(context);
  const { url } = service;
  const signed = await freshAccount(url);
  const users = (as: readonly [string, string]) => callConsole(url, "GET", "/v2/svc/users", { as });
  assert.equal((await users(signed.as)).status, 200);
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, number) => users(["admin", `guess-${number}`])),
  );
  const statuses = guesses.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, 10);
  const [refused] = guesses.filter(({ status }) => status === 429);
  assert.equal(statuses.filter((status) => status === 429).length, 20);
  assert.ok(Number(refused?.headers["retry-after"]) >= 1);
  assert.equal(refused?.headers["cache-control"], "no-store");
  assert.equal((await users(signed.as)).status, 200);
});

test("unknown tokens are refused for a while, and valid ones never", async (context) => {
  const service = await TestService.startFor(context);
  const logs = (token: string) => call(service.url, "GET", "/v2/logs", { token });
  const statuses = new Set<number>();
  for (let round = 0; round < 20 && !statuses.has(429); round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => logs("wrong")));
    for (const { status } of answers) statuses.add(status);
  }
  assert.deepEqual(statuses, new Set([401, 429]));
  assert.equal((await logs(service.token)).status, 200);
});

test("the console can have a port of its own", async (context) => {
  const service = await TestService.startFor(context, { flags: { consolePort: "0" } });
  const { url, consoleUrl } = service.service;
  assert.notEqual(url, consoleUrl);
  assert.equal((await callConsole(url, "GET", "/v2/svc/users")).status, 404);
  assert.equal((await callConsole(consoleUrl, "GET", "/v2/svc/users")).status, 200);
  const { token } = service;
  assert.equal((await call(consoleUrl, "GET", "/v2/logs", { token })).status, 404);
  assert.equal((await call(url, "GET", "/v2/logs", { token })).status, 200);
});

test("the operator signs in at the console port alone, and accounts at either", async (context) => {
  const flags = { consolePort: "0" };
  const service = await TestService.startFor(context, { flags });
  const { url, consoleUrl } = service.service;
  const { as } = await freshAccount(consoleUrl);
  const page = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
  const signIn = ([name, password]: readonly [string, string], where: string) =>
    call(where, "POST", "/v2/session", { headers: page, body: JSON.stringify({ name, password }) });
  const refused = await signIn(ADMIN, url);
  assert.equal(refused.status, 401);
  assert.match(String(refused.json["error"]), /the operator signs in at the console port$/);
  assert.equal(refused.headers["set-cookie"], undefined);
  const unknown = await signIn(["nobody@example.com", "wrong-password"], url);
  assert.deepEqual(unknown.json, refused.json, "it does not tell the operator's name");
  for (const where of [url, consoleUrl]) assert.equal((await signIn(as, where)).status, 200);
  const admitted = await signIn(ADMIN, consoleUrl);
  assert.equal(admitted.json["kind"], "operator");
  const [cookie = ""] = (admitted.headers["set-cookie"] as string[])[0]!.split(";");
  const withCookie = (where: string, path: string): Promise<CallAnswer> =>
    call(where, "GET", path, { headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } });
  assert.equal((await withCookie(consoleUrl, "/v2/session")).json["kind"], "operator");
  assert.equal((await withCookie(consoleUrl, "/v2/svc/nodes")).status, 200);
  // A browser sends the cookie to every port of the host.
  const elsewhere = await withCookie(url, "/v2/session");
  assert.notEqual(elsewhere.json["kind"], "operator");
  assert.equal((await withCookie(url, "/v2/logs")).status, 403);
});

test(
  "what one node is told, the others know soon",
  { skip: postgresMissing() },
  async (context) => {
    const [one, two] = await startTwoNodes(context);
    const { id, token, as } = await freshAccount(one.url);
    assert.equal(await on(two, token), 200);
    const signIn = async (): Promise<number> =>
      (await two.console("GET", `/v2/svc/user/${id}`, { as })).status;
    assert.equal(await signIn(), 200);
    const rotated = await one.console("POST", `/v2/svc/rotate-token/${id}`);
    assert.equal(await on(one, token), 401);
    const fresh = rotated.json["token"] as string;
    assert.equal(await on(two, fresh), 200);
    await becomes(() => on(two, token), 401);
    await becomes(signIn, 401);
    await one.console("POST", `/v2/svc/suspend/${id}`);
    await becomes(() => on(two, fresh), 403);
    await two.console("POST", `/v2/svc/activate/${id}`);
    assert.equal(await on(two, fresh), 200);
    await one.console("POST", "/v2/svc/pause");
    await until(() => two.logged.includes("deliveries are paused"), "the other node is paused");
  },
);

async function on({ url }: TestService, token: string): Promise<number> {
  return (await call(url, "GET", "/v2/logs", { token })).status;
}

function becomes(ask: () => Promise<number>, status: number): Promise<void> {
  return until(async () => (await ask()) === status, `${status}`);
}

journeys("names in the console", {}, (journey) => {
  test("a name that no account can have is one that does not exist", async () => {
    const { url } = journey.service;
    const page = { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json" };
    for (const name of ["admin\0", "\0", "a\u007fb", "\u{1f600}"]) {
      const listed = await callConsole(url, "GET", "/v2/svc/users", { as: [name, "postrider"] });
      assert.equal(listed.status, 401, `${JSON.stringify(name)} ${listed.text}`);
      const body = JSON.stringify({ name, password: "postrider" });
      const signedIn = await call(url, "POST", "/v2/session", { headers: page, body });
      assert.equal(signedIn.status, 401, `${JSON.stringify(name)} ${signedIn.text}`);
    }
  });
});
