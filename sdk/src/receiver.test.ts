import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { SignatureError } from "./errors.ts";
import { Receiver } from "./receiver.ts";

const URL = "https://example.com/hook?x=1";
const seconds = (): number => Math.floor(Date.now() / 1_000);

test("accepts what was signed with the current key or the next", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a", nextSigningKey: "sig_b" });
  for (const key of ["sig_a", "sig_b"]) {
    const signature = sign("body", { key });
    assert.equal(await receiver.verify({ signature, body: "body", url: URL }), true);
    assert.equal(await receiver.verify({ signature, body: Buffer.from("body") }), true);
  }
  await refused(receiver, sign("body", { key: "sig_c" }), "body", /another key/);
});

test("one key is enough, and none is an error", async () => {
  const receiver = new Receiver({ nextSigningKey: "sig_b" });
  const signature = sign("", { key: "sig_b" });
  assert.equal(await receiver.verify({ signature, body: "" }), true);
  assert.throws(() => new Receiver(), SignatureError);
  assert.equal(Receiver.fromEnvironment(), undefined);
  assert.ok(Receiver.fromEnvironment({ POSTRIDER_NEXT_SIGNING_KEY: "sig_b" }));
});

test("a header that is missing is a refusal, and no other error", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  for (const signature of [undefined, null] as unknown as string[]) {
    await refused(receiver, signature, "body", /^the header Svc-Signature is missing$/);
  }
});

test("where there is no hashing of Node's, that of the web decides alike", async () => {
  const runtime = process as unknown as Record<string, unknown>;
  const getBuiltinModule = runtime["getBuiltinModule"];
  runtime["getBuiltinModule"] = undefined;
  try {
    const receiver = new Receiver({ currentSigningKey: "sig_a", nextSigningKey: "sig_b" });
    for (const body of ["bödy", Buffer.from("bödy")]) {
      const signature = sign("bödy", { key: "sig_b" });
      assert.equal(await receiver.verify({ signature, body }), true);
    }
    await refused(receiver, sign("body"), "body ", /body is not the one/);
    await refused(receiver, sign("body", { key: "sig_c" }), "body", /another key/);
  } finally {
    runtime["getBuiltinModule"] = getBuiltinModule;
  }
});

test("refuses another body, URL, issuer, algorithm, and another time", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  await refused(receiver, sign("body"), "body ", /body is not the one/);
  await refused(receiver, sign("body"), "body", /is for https/, "", `${URL}2`);
  await refused(receiver, sign("body", { claims: { iss: "Other" } }), "body", /issuer/);
  await refused(receiver, sign("body", { algorithm: "none" }), "body", /HS256/);
  await refused(receiver, sign("body", { claims: { exp: seconds() - 1 } }), "body", /expired/);
  await refused(receiver, sign("body", { claims: { exp: undefined } }), "body", /expired/);
  await refused(
    receiver,
    sign("body", { claims: { nbf: seconds() + 60 } }),
    "body",
    /not valid yet/,
  );
});

test("refuses claims that are not of their kind, or beyond any time", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  const hash = createHash("sha256").update("body").digest("base64url");
  for (const name of ["exp", "nbf", "iat"]) {
    for (const odd of ["0", "9999999999", "", null, true, [], [0], {}, 1e300, -1e300]) {
      const text = `${name} ${JSON.stringify(odd)}`;
      const refusal = name === "exp" ? /expired/ : /is not a time/;
      await refused(receiver, sign("body", { claims: { [name]: odd } }), "body", refusal, text);
    }
    const endless = sign("body", { claims: { [name]: "ENDLESS" } });
    await refused(receiver, endless, "body", /expired|not a time/, `${name} 1e999`);
  }
  for (const odd of [[hash], [`${hash}=`], { hash }, null, 7, true, undefined, "", "*"]) {
    await refused(receiver, sign("body", { claims: { body: odd } }), "body", /./);
  }
  for (const odd of [["Svc"], { Svc: 1 }, null, "svc", "", undefined]) {
    await refused(receiver, sign("body", { claims: { iss: odd } }), "body", /issuer/);
  }
  for (const odd of [[URL], { URL }, null, undefined, ""]) {
    const signature = sign("body", { claims: { sub: odd } });
    await assert.rejects(receiver.verify({ signature, body: "body", url: URL }), SignatureError);
  }
  const without = sign("body", { claims: { nbf: undefined, iat: undefined } });
  assert.equal(await receiver.verify({ signature: without, body: "body" }), true);
  const expired = sign("body", { claims: { exp: seconds() - 60 } });
  const clockTolerance = Number.NaN;
  await assert.rejects(receiver.verify({ signature: expired, body: "body", clockTolerance }));
});

test("clocks may differ by the tolerance that is given", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  const signature = sign("body", { claims: { exp: seconds() - 5, nbf: seconds() + 5 } });
  assert.equal(await receiver.verify({ signature, body: "body", clockTolerance: 30 }), true);
});

test("what is no token is refused and not mistaken", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  for (const token of [
    undefined as unknown as string,
    ["a.b.c"] as unknown as string,
    "",
    "a.b",
    "a.b.c",
    "..",
    "!.!.!",
    `${sign("body")}.x`,
    sign("body").slice(9),
  ]) {
    await refused(receiver, token, "body", /./);
  }
});

test("reads a request and verifies it", async () => {
  const receiver = new Receiver({ currentSigningKey: "sig_a" });
  const request = (headers: Record<string, string>): Request =>
    new Request(URL, { method: "POST", body: "héllo", headers });
  const signed = request({ "Svc-Signature": sign("héllo") });
  assert.deepEqual(await receiver.verifyRequest(signed, { url: URL }), { body: "héllo" });
  await assert.rejects(receiver.verifyRequest(request({})), /Svc-Signature is missing/);
});

async function refused(
  receiver: Receiver,
  signature: string,
  body: string,
  message: RegExp,
  what?: string,
  url?: string,
): Promise<void> {
  const isRefused = (error: unknown): boolean => {
    assert.ok(error instanceof SignatureError, String(error));
    assert.match(error.message, message, what);
    return true;
  };
  await assert.rejects(receiver.verify({ signature, body, url }), isRefused, what);
}

function part(value: object): string {
  const text = JSON.stringify(value).replace('"ENDLESS"', "1e999");
  return Buffer.from(text).toString("base64url");
}

interface Signing {
  key?: string;
  algorithm?: string;
  claims?: Record<string, unknown>;
}

function sign(body: string, { key = "sig_a", algorithm = "HS256", claims }: Signing = {}): string {
  const all = {
    iss: "Svc",
    sub: URL,
    exp: seconds() + 300,
    nbf: 0,
    iat: seconds(),
    body: `${createHash("sha256").update(body).digest("base64url")}=`,
    ...claims,
  };
  const signed = `${part({ alg: algorithm, typ: "JWT" })}.${part(all)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}
