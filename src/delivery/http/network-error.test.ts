import assert from "node:assert/strict";
import { test } from "node:test";
import { DeliveryError, noAnswer, noAnswerFrom, seconds, tooLate } from "./network-error.ts";

const TEXTS = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ECONNABORTED: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "no such host",
  ENODATA: "no such host",
  EAI_AGAIN: "name lookup failed",
  EAI_FAIL: "name lookup failed",
  EPROTO: "TLS handshake failed",
  ERR_SSL_WRONG_VERSION_NUMBER: "TLS handshake failed",
  ERR_TLS_HANDSHAKE_TIMEOUT: "TLS handshake failed",
  CERT_HAS_EXPIRED: "TLS certificate has expired",
  CERT_NOT_YET_VALID: "TLS certificate is not yet valid",
  CERT_REVOKED: "TLS certificate not accepted (CERT_REVOKED)",
  UNABLE_TO_GET_ISSUER_CERT: "TLS certificate not accepted (UNABLE_TO_GET_ISSUER_CERT)",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS certificate chain is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS certificate is not signed by a known authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS certificate is not signed by a known authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS certificate is for another name",
  EISDIR: "request failed (EISDIR)",
  "": "request failed",
};

for (const [code, text] of Object.entries(TEXTS)) {
  test(`the log says "${text}" for ${code === "" ? "an error without a code" : code}`, () => {
    const error = Object.assign(new Error("secret detail"), { code });
    assert.deepEqual(noAnswerFrom(error), { kind: "no-answer", error: text, final: false });
  });
}

test("what is thrown besides errors is a failed request", () => {
  for (const thrown of [null, undefined, "text", {}, { code: 5 }, new Error("no code")]) {
    assert.deepEqual(noAnswerFrom(thrown), noAnswer("request failed"));
  }
});

test("an error of our own keeps its text, and whether another attempt could help", () => {
  assert.deepEqual(noAnswerFrom(new DeliveryError("ours")), noAnswer("ours", false));
  assert.deepEqual(noAnswerFrom(new DeliveryError("ours", true)), noAnswer("ours", true));
});

test("times are told in seconds", () => {
  assert.equal(seconds(1_500), "1.5 s");
  assert.equal(tooLate(30_000), "no complete answer within 30 s, the timeout of the message");
});
