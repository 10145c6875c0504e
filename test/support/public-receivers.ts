/**
 * The receivers of the public clients: JavaScript's own, and those of Python and Go by the
 * algorithm that their documentation describes, written here without any code of ours.
 */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { Receiver } from "@upstash/qstash";
import type { Received } from "./destination-server.ts";

export interface SigningKeys {
  readonly currentSigningKey: string;
  readonly nextSigningKey: string;
}

/** Verifies a delivery as each public client does; `origin` is that of the destination. */
export async function verifyWithPublicReceivers(
  request: Received,
  origin: string,
  keys: SigningKeys,
): Promise<void> {
  const url = `${origin}${request.url}`;
  const signature = request.headers["upstash-signature"];
  assert.ok(signature !== undefined, "Upstash-Signature is missing");
  const body = request.body.toString();
  assert.ok(await new Receiver(keys).verify({ signature, body, url }));
  verifyAsPython({ signature, body: request.body, url }, keys);
  verifyAsGo({ signature, body: request.body, url }, keys);
}

interface Signed {
  readonly signature: string;
  readonly body: Uint8Array;
  readonly url: string;
}

type Claims = Readonly<Record<string, unknown>>;

/** Current key, then next; issuer, not-before, expiry, subject; hashes without their padding. */
function verifyAsPython({ signature, body, url }: Signed, keys: SigningKeys): void {
  const claims = claimsOf(signature, keys);
  for (const name of ["iss", "sub", "exp", "nbf"]) assert.ok(name in claims, name);
  assert.equal(claims["iss"], "Upstash");
  requireNow(claims);
  assert.equal(claims["sub"], url);
  const hash = createHash("sha256").update(body).digest("base64url");
  assert.equal(String(claims["body"]).replace(/=+$/, ""), hash.replace(/=+$/, ""));
}

/** The same, but the hash in the claim is decoded and compared as bytes, and HS256 is required. */
function verifyAsGo({ signature, body, url }: Signed, keys: SigningKeys): void {
  assert.deepEqual(partOf(signature, 0), { alg: "HS256", typ: "JWT" });
  const claims = claimsOf(signature, keys);
  assert.equal(claims["iss"], "Upstash");
  assert.equal(claims["sub"], url);
  requireNow(claims);
  const given = Buffer.from(String(claims["body"]).replaceAll("=", ""), "base64url");
  assert.deepEqual(given, createHash("sha256").update(body).digest());
}

function claimsOf(signature: string, keys: SigningKeys): Claims {
  const [header, claims, given] = signature.split(".");
  const isSignedWith = (key: string): boolean =>
    createHmac("sha256", key).update(`${header}.${claims}`).digest("base64url") === given;
  const { currentSigningKey, nextSigningKey } = keys;
  assert.ok(isSignedWith(currentSigningKey) || isSignedWith(nextSigningKey), "another key");
  return partOf(signature, 1);
}

function requireNow({ exp, nbf }: Claims): void {
  const seconds = Date.now() / 1_000;
  assert.ok(typeof exp === "number" && exp > seconds, "expired");
  assert.ok(typeof nbf === "number" && nbf <= seconds, "not valid yet");
}

function partOf(signature: string, index: number): Claims {
  return JSON.parse(Buffer.from(signature.split(".")[index]!, "base64url").toString()) as Claims;
}
