import assert from "node:assert/strict";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { test } from "node:test";
import { anAccount } from "../../../../test/support/messages.ts";
import type { Access } from "../../../operations/account/accounts.ts";
import type { OpenSession, SessionAccess } from "../../../operations/account/sessions.ts";
import { SESSION_COOKIE } from "../../../wire/account/session.ts";
import type { Api } from "../server/call.ts";
import { publicUrlReader } from "./caller-ip.ts";
import * as sessionCookie from "./session-cookie.ts";

const HERE = "here.test:8080";

function requestWith(headers: IncomingHttpHeaders): IncomingMessage {
  return { headers: { host: HERE, ...headers } } as IncomingMessage;
}

/** A service at a URL, with sessions by what their cookie holds. */
function serviceAt(url?: string, sessions: Readonly<Record<string, SessionAccess>> = {}) {
  const open = (sealed: string): Promise<OpenSession | null> => {
    const access = sessions[sealed];
    return Promise.resolve(
      access === undefined ? null : { access, isOld: false, renew: () => sealed },
    );
  };
  return { publicUrl: publicUrlReader(url), sessions: { open } as unknown as Api["sessions"] };
}

function sessionsIn(cookie: string, url?: string): readonly string[] {
  return sessionCookie.sessionsIn(serviceAt(url), requestWith({ cookie }));
}

test("the cookies of the name are the sessions, each once", () => {
  assert.deepEqual(sessionsIn(`a=b; ${SESSION_COOKIE}=one;${SESSION_COOKIE}=two ; c`), [
    "one",
    "two",
  ]);
  assert.deepEqual(sessionsIn(`${SESSION_COOKIE}=one; ${SESSION_COOKIE}=one`), ["one"]);
  assert.deepEqual(sessionsIn(`x${SESSION_COOKIE}=one; ${SESSION_COOKIE}`), []);
  assert.deepEqual(sessionCookie.sessionsIn(serviceAt(), requestWith({})), []);
});

test("over TLS only the cookie counts that no other host can set, else only the plain one", () => {
  const both = `${SESSION_COOKIE}=plain; __Host-${SESSION_COOKIE}=host`;
  assert.deepEqual(sessionsIn(both), ["plain"]);
  assert.deepEqual(sessionsIn(both, "http://a.test"), ["plain"]);
  assert.deepEqual(sessionsIn(both, "https://a.test"), ["host"]);
});

const ofLength = (length: number) => `${SESSION_COOKIE}=${"x".repeat(length)}`;
const many = (count: number) =>
  Array.from({ length: count }, (_, number) => `${SESSION_COOKIE}=${number}`).join("; ");

test("a cookie that is too long is none, and too many are refused", () => {
  assert.equal(sessionsIn(ofLength(2_048)).length, 1);
  assert.deepEqual(sessionsIn(ofLength(2_049)), []);
  assert.equal(sessionsIn(many(4)).length, 4);
  assert.throws(() => sessionsIn(many(5)), { kind: "forbidden" });
});

const OPERATOR: SessionAccess = { kind: "operator", user: "admin" };
const ownerAccess = (fields: Partial<Access> = {}): SessionAccess => ({
  kind: "account",
  access: { account: anAccount(), isReadOnly: false, isOwner: true, ...fields },
});

test("of several cookies the one that is a session counts, and two are refused", async () => {
  const api = serviceAt(undefined, { ours: OPERATOR, other: OPERATOR });
  const found = await sessionCookie.findSession(api, ["forged", "ours", "old"]);
  assert.equal(found?.access, OPERATOR);
  assert.equal(await sessionCookie.findSession(api, ["forged"]), null);
  assert.equal(await sessionCookie.findSession(api, []), null);
  const refused = sessionCookie.findSession(api, ["other", "ours"]);
  await assert.rejects(refused, { kind: "forbidden" });
});

test("a session opens an account within its rights, and a change only from a page of ours", async () => {
  const api = serviceAt(undefined, {
    owner: ownerAccess(),
    reader: ownerAccess({ isReadOnly: true, isOwner: false }),
    suspended: ownerAccess({ account: anAccount({ isSuspended: true }) }),
    operator: OPERATOR,
  });
  const own = { "sec-fetch-site": "same-origin" };
  const open = async (
    sealed: string,
    method: "GET" | "POST",
    needs: "read" | "write" | "owner",
    headers: IncomingHttpHeaders = own,
  ): Promise<string> => {
    const request = requestWith(headers);
    return sessionCookie.accountInSession(api, [sealed], request, { method, needs }).then(
      () => "opened",
      (problem: { kind: string }) => problem.kind,
    );
  };
  assert.equal(await open("owner", "POST", "owner"), "opened");
  assert.equal(await open("reader", "GET", "read"), "opened");
  assert.equal(await open("reader", "POST", "write"), "forbidden");
  assert.equal(await open("reader", "GET", "owner"), "forbidden");
  assert.equal(await open("suspended", "GET", "read"), "forbidden");
  assert.equal(await open("operator", "GET", "read"), "forbidden");
  assert.equal(await open("ended", "GET", "read"), "unauthorized");
  // From the address bar it may be read, and not changed.
  const bar = { "sec-fetch-site": "none" };
  assert.equal(await open("owner", "GET", "read", bar), "opened");
  assert.equal(await open("owner", "GET", "owner", bar), "opened");
  assert.equal(await open("owner", "POST", "read", bar), "opened");
  assert.equal(await open("owner", "POST", "write", bar), "forbidden");
  assert.equal(await open("owner", "GET", "read", { "sec-fetch-site": "same-site" }), "forbidden");
});

/** Whether a page may look, and whether it may change something. */
function mayUse(headers: IncomingHttpHeaders, url?: string): readonly [boolean, boolean] {
  const may = (changes: boolean): boolean => {
    try {
      sessionCookie.requireOwnPage(serviceAt(url), requestWith(headers), changes);
      return true;
    } catch {
      return false;
    }
  };
  return [may(false), may(true)];
}

test("a browser's word about the page is believed before its origin", () => {
  const origin = `http://${HERE}`;
  assert.deepEqual(mayUse({ "sec-fetch-site": "same-origin" }), [true, true]);
  assert.deepEqual(mayUse({ "sec-fetch-site": "none" }), [true, false]);
  for (const site of ["same-site", "cross-site", "", "unknown"]) {
    assert.deepEqual(mayUse({ "sec-fetch-site": site, origin }), [false, false], site);
  }
});

test("without it the origin must be ours, port and all, and a change names one", () => {
  assert.deepEqual(mayUse({}), [true, false]);
  assert.deepEqual(mayUse({ origin: `http://${HERE}` }), [true, true]);
  for (const origin of ["null", "http://here.test", "http://here.test:81", "http://a.test:8080"]) {
    assert.deepEqual(mayUse({ origin }), [false, false], origin);
  }
  assert.deepEqual(mayUse({ host: "here.test:80", origin: "http://here.test" }), [true, true]);
});

test("a page of the public URL is ours whatever host a proxy names, with its scheme", () => {
  const url = "https://public.test";
  assert.deepEqual(mayUse({ origin: url }, url), [true, true]);
  assert.deepEqual(mayUse({ origin: "http://public.test" }, url), [false, false]);
  assert.deepEqual(mayUse({ origin: `http://${HERE}` }, url), [true, true]);
  assert.deepEqual(mayUse({ origin: "http://public.test" }, "http://public.test"), [true, true]);
});

const headerOf = (sealed: string | null, url?: string) =>
  sessionCookie.sessionHeaders(serviceAt(url), requestWith({}), sealed);

test("the header sets a cookie that no script reads, and ends it when there is none", () => {
  const rest = "Path=/; HttpOnly; SameSite=Strict";
  assert.deepEqual(headerOf("sealed"), [
    "Set-Cookie",
    `${SESSION_COOKIE}=sealed; ${rest}; Max-Age=86400`,
  ]);
  assert.deepEqual(headerOf(null), ["Set-Cookie", `postrider_session=; ${rest}; Max-Age=0`]);
  assert.deepEqual(headerOf("sealed", "https://a.test"), [
    "Set-Cookie",
    `__Host-${SESSION_COOKIE}=sealed; ${rest}; Max-Age=86400; Secure`,
  ]);
});

test("JSON is known by its type, in any case and with parameters", () => {
  for (const type of ["application/json", "APPLICATION/JSON", "application/json ; charset=utf-8"]) {
    sessionCookie.requireJsonType(type);
  }
});

test("a type that a page of another site may send without asking is refused", () => {
  const others = ["", "text/plain", "application/jsonp", "text/plain;application/json"];
  for (const type of [...others, "application/x-www-form-urlencoded", " application/json"]) {
    assert.throws(
      () => sessionCookie.requireJsonType(type),
      /^Problem: Content-Type: must be application\/json$/,
    );
  }
});
