import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { anAccount } from "../../../../test/support/messages.ts";
import { addressGroup } from "../../../core/policy/egress/address.ts";
import { Problem } from "../../../core/problem.ts";
import type { Access } from "../../../operations/account/accounts.ts";
import * as authenticating from "./authenticate.ts";
import type { AccountNeeds } from "../server/call.ts";

const { tokenOf, withoutToken, requireAccess } = authenticating;

test("the token is what follows Bearer, in any case and without blanks", () => {
  assert.equal(tokenOf("Bearer secret", "", true), "secret");
  assert.equal(tokenOf("bEARER   secret ", "", true), "secret");
  assert.equal(tokenOf("Basic secret", "", true), null);
  assert.equal(tokenOf("Bearersecret", "", true), null);
  assert.equal(tokenOf("Bearer ", "", true), "");
});

test("a token in the query counts only without the header, and only where it may be there", () => {
  assert.equal(tokenOf(undefined, "a=1&qstash_token=x", true), "x");
  assert.equal(tokenOf(undefined, "svc_token=a%20b+c%2B", true), "a b+c+");
  assert.equal(tokenOf("Bearer header", "qstash_token=x", true), "header");
  assert.equal(tokenOf("Basic header", "qstash_token=x", true), null);
  assert.equal(tokenOf(undefined, "a=1&my_token=x", true), null);
  assert.equal(tokenOf(undefined, "", true), null);
  const twice = "svc_token=x&qstash_token=x";
  assert.throws(() => tokenOf(undefined, twice, true), { kind: "invalid-request" });
  assert.throws(() => tokenOf(undefined, "svc_token=x", false), { kind: "unauthorized" });
  assert.equal(tokenOf(undefined, "a=1", false), null);
  assert.equal(tokenOf("Bearer header", "svc_token=x", false), "header");
});

test("what is left of a query without its token is as it was sent", () => {
  assert.equal(withoutToken("a=%20&svc_token=x&b"), "a=%20&b");
  assert.equal(withoutToken("qstash_token"), "");
  assert.equal(withoutToken("svc_token=a=b&c"), "c");
  assert.equal(withoutToken("a_token=x&b=svc_token"), "a_token=x&b=svc_token");
});

function accessOf(fields: Partial<Access> = {}): Access {
  return { account: anAccount(), isReadOnly: false, isOwner: false, ...fields };
}

/** What it may be used for. */
const allowed = (access: Access): AccountNeeds[] =>
  (["read", "write", "owner"] as const).filter((needs) => {
    try {
      return requireAccess(access, needs) === access;
    } catch (error) {
      assert.ok(error instanceof Problem && error.kind === "forbidden");
      return false;
    }
  });

test("an access is held to what it allows", () => {
  const owner = accessOf({ isOwner: true });
  const named = accessOf();
  const reader = accessOf({ isReadOnly: true });
  const suspended = accessOf({ isOwner: true, account: anAccount({ isSuspended: true }) });
  assert.deepEqual(allowed(owner), ["read", "write", "owner"]);
  assert.deepEqual(allowed(named), ["read", "write"]);
  assert.deepEqual(allowed(reader), ["read"]);
  assert.deepEqual(allowed(suspended), []);
});

/** A service that knows the tokens "known" and "loaded", and those that it was asked for. */
function authenticator() {
  const asked: string[] = [];
  const spent: string[] = [];
  const access = (token: string): Access | Promise<Access | null> => {
    asked.push(token);
    if (token === "known") return accessOf();
    return Promise.resolve(token === "loaded" ? accessOf() : null);
  };
  const api = {
    accounts: { access },
    failedTokens: { spend: (key: string) => spent.push(key) },
    callerIp: () => "2001:db8:1:2::7",
  } as unknown as authenticating.Authenticating;
  const statusOf = async (token: string | null, authorization?: string): Promise<string> => {
    const request = { headers: { authorization } } as IncomingMessage;
    try {
      await authenticating.authenticate(api, token, "read", request);
      return "accepted";
    } catch (error) {
      return (error as Problem).message;
    }
  };
  return { asked, spent, statusOf };
}

test("a right token is accepted and not counted, a wrong one is counted for the network", async () => {
  const { spent, statusOf } = authenticator();
  assert.equal(await statusOf("known"), "accepted");
  assert.equal(await statusOf("loaded"), "accepted");
  assert.deepEqual(spent, []);
  assert.equal(await statusOf("wrong"), "unable to authenticate: invalid token");
  assert.match(await statusOf(null), /the Authorization header is missing/);
  assert.match(await statusOf(null, "Basic x"), /the Authorization header is not Bearer/);
  assert.match(await statusOf("", "Bearer "), /the Authorization header is not Bearer/);
  assert.equal(spent.length, 4);
  assert.deepEqual(new Set(spent), new Set([addressGroup("2001:db8:1:2::1")]));
});

test("a text that cannot be a token is not looked up", async () => {
  const { asked, statusOf } = authenticator();
  await statusOf("");
  await statusOf(null);
  assert.equal(await statusOf("x".repeat(1_025)), "unable to authenticate: invalid token");
  assert.deepEqual(asked, []);
  await statusOf("x".repeat(1_024));
  assert.equal(asked.length, 1);
});
