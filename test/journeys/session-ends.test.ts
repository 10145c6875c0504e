/** A session lasts a day, and goes on by a day while its page is open: by token, password and operator. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ADMIN, freshAccount } from "../support/console-call.ts";
import { call, type CallAnswer } from "../support/http-call.ts";
import { TestService } from "../support/service-harness.ts";
import { SteppedClock } from "../support/stepped-clock.ts";

const HOUR_MS = 3_600_000;
const PAGE = { "Sec-Fetch-Site": "same-origin" };
const JSON_TYPE = { "Content-Type": "application/json" };

test("a session ends after a day, and one that was renewed a day after that", async (t) => {
  const clock = new SteppedClock(t);
  const flags = { adminPassword: ADMIN[1] };
  const service = await TestService.startFor(t, { mode: "serve", flags, clock });
  const { url } = service;
  const { token, as } = await freshAccount(url);
  const ask = (path: string, cookie: string): Promise<CallAnswer> =>
    call(url, "GET", path, { headers: { Cookie: cookie, ...PAGE } });
  const people = await Promise.all(
    [
      { given: { token }, path: "/v2/account" },
      { given: { name: as[0], password: as[1] }, path: "/v2/account" },
      { given: { name: ADMIN[0], password: ADMIN[1] }, path: "/v2/svc/nodes" },
    ].map(async ({ given, path }) => {
      const headers = { ...JSON_TYPE, ...PAGE };
      const answer = await call(url, "POST", "/v2/session", {
        headers,
        body: JSON.stringify(given),
      });
      return { path, cookie: cookieOf(answer)! };
    }),
  );
  clock.step(11 * HOUR_MS);
  for (const { cookie } of people) {
    assert.equal(cookieOf(await ask("/v2/session", cookie)), null, "it is not old yet");
  }
  clock.step(2 * HOUR_MS);
  const renewed: string[] = [];
  for (const { cookie, path } of people) {
    assert.equal((await ask(path, cookie)).status, 200);
    renewed.push(cookieOf(await ask("/v2/session", cookie))!);
    assert.notEqual(renewed.at(-1), cookie);
  }
  clock.step(12 * HOUR_MS);
  for (const [index, { cookie, path }] of people.entries()) {
    assert.equal((await ask(path, cookie)).status, 401, `${path} with the first`);
    assert.equal((await ask("/v2/session", cookie)).status, 401);
    assert.equal((await ask(path, renewed[index]!)).status, 200, `${path} with the renewed`);
  }
  clock.step(12 * HOUR_MS);
  for (const [index, { path }] of people.entries()) {
    assert.equal((await ask(path, renewed[index]!)).status, 401);
    assert.equal((await ask("/v2/session", renewed[index]!)).status, 401);
  }
});

/** The cookie that an answer sets; null for none. */
function cookieOf({ headers, status, text }: CallAnswer): string | null {
  assert.equal(status, 200, text);
  const [set] = (headers["set-cookie"] as string[] | undefined) ?? [];
  return set?.split(";")[0] ?? null;
}
