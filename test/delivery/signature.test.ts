import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Receiver } from "@upstash/qstash";
import type { Message, MessageKind } from "../../src/core/model/message/message.ts";
import { systemClock, type Clock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { createSigner } from "../../src/delivery/signature/signature.ts";

const CURRENT = "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r";
const NEXT = "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs";
const NOW: Clock = { ...systemClock, now: () => 1_800_000_000_999 };

function messageIn(dialect: "svc" | "upstash", url = "https://example.com/a?b=1"): Message {
  return {
    accountId: "acc_1",
    messageId: "msg_1",
    kind: "publish",
    dialect,
    url,
    method: "POST",
    headers: [],
    settings: { timeoutMs: 1000, retries: 0 },
    callerIp: "203.0.113.9",
    createdAt: 0,
    notBefore: 0,
  };
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Record<
    string,
    unknown
  >;
}

test("the public receiver accepts a signature with the current key or the next", async () => {
  const sign = createSigner(systemClock, createIds());
  const receiver = new Receiver({ currentSigningKey: CURRENT, nextSigningKey: NEXT });
  const body = '{"hello":"wörld"}';
  for (const key of [CURRENT, NEXT]) {
    for (const text of [body, ""]) {
      const url = 'https://example.com/ü?q="1"';
      const signature = sign(messageIn("upstash", url), Buffer.from(text), key);
      assert.equal(await receiver.verify({ signature, body: text, url }), true);
    }
  }
});

test("the public receiver refuses another body, another url and another key", async () => {
  const sign = createSigner(systemClock, createIds());
  const receiver = new Receiver({ currentSigningKey: CURRENT, nextSigningKey: NEXT });
  const url = "https://example.com/a?b=1";
  const signature = sign(messageIn("upstash"), Buffer.from("body"), CURRENT);
  const foreign = sign(messageIn("upstash"), Buffer.from("body"), "sig_other");
  await assert.rejects(receiver.verify({ signature, body: "other", url }));
  await assert.rejects(receiver.verify({ signature, body: "body", url: `${url}2` }));
  await assert.rejects(receiver.verify({ signature: foreign, body: "body", url }));
});

test("the signature is the HMAC of node:crypto, for keys of any length", () => {
  const sign = createSigner(NOW, createIds());
  for (let length = 1; length < 200; length++) {
    const key = "kü".repeat(length).slice(0, length);
    const [header, claims, signature] = sign(messageIn("svc"), Buffer.alloc(length), key).split(
      ".",
    );
    const expected = createHmac("sha256", key).update(`${header}.${claims}`).digest("base64url");
    assert.equal(signature, expected, `${length} characters`);
  }
});

test("the claims are those of the dialect", () => {
  const sign = createSigner(NOW, createIds());
  const token = sign(messageIn("svc"), new Uint8Array(), CURRENT);
  assert.deepEqual(JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()), {
    alg: "HS256",
    typ: "JWT",
  });
  const { jti, ...claims } = claimsOf(token);
  assert.deepEqual(claims, {
    iss: "Svc",
    sub: "https://example.com/a?b=1",
    exp: 1_800_000_300,
    nbf: 0,
    iat: 1_800_000_000,
    body: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
  });
  assert.match(String(jti), /^jwt_[1-9A-Za-z]{28}$/);
  assert.equal(claimsOf(sign(messageIn("upstash"), new Uint8Array(), CURRENT))["iss"], "Upstash");
});

test("a delivery to the endpoint of a run says what it is and of which run", async () => {
  const sign = createSigner(systemClock, createIds());
  const receiver = new Receiver({ currentSigningKey: CURRENT, nextSigningKey: NEXT });
  const run = { runId: "order-17", createdAt: 5, workflowUrl: "https://example.com/", ordinal: 0 };
  const claims = async (kind: MessageKind): Promise<unknown[]> => {
    const signature = sign({ ...messageIn("upstash"), kind, run }, Buffer.from("x"), CURRENT);
    const url = "https://example.com/a?b=1";
    assert.equal(await receiver.verify({ signature, body: "x", url }), true);
    const { kind: signed, run: signedRun } = claimsOf(signature);
    return [signed, signedRun];
  };
  assert.deepEqual(await claims("step"), ["step", "order-17@5"]);
  assert.deepEqual(await claims("call-result"), ["callback", "order-17@5"]);
  assert.deepEqual(await claims("failure-call"), ["failure", "order-17@5"]);
  for (const kind of ["call", "publish", "callback", "failure-callback"] as const) {
    assert.deepEqual(await claims(kind), [undefined, undefined], kind);
  }
  const plain = claimsOf(sign({ ...messageIn("svc"), kind: "step" }, new Uint8Array(), CURRENT));
  assert.ok(!("kind" in plain) && !("run" in plain));
});

test("every attempt has its own token id, and many keys can be in use", () => {
  const sign = createSigner(NOW, createIds());
  const ids = new Set<unknown>();
  for (let round = 0; round < 2500; round++) {
    ids.add(claimsOf(sign(messageIn("svc"), new Uint8Array(), `sig_${round}`))["jti"]);
  }
  assert.equal(ids.size, 2500);
});
