import assert from "node:assert/strict";
import { test } from "node:test";
import { devCredentials } from "../../src/operations/account/public-credentials.ts";
import { variableOf } from "./dev-server.ts";
import { Receiver } from "./receiver.ts";
import { Transport } from "./transport.ts";

const DEV = { POSTRIDER_DEV: "1" };

test("one variable has the credentials of dev", () => {
  const { token, currentSigningKey, nextSigningKey } = devCredentials();
  assert.equal(variableOf("POSTRIDER_TOKEN", DEV), token);
  assert.equal(variableOf("POSTRIDER_CURRENT_SIGNING_KEY", DEV), currentSigningKey);
  assert.equal(variableOf("POSTRIDER_NEXT_SIGNING_KEY", DEV), nextSigningKey);
  assert.equal(new Transport({}, DEV).baseUrl, "http://127.0.0.1:8080");
  assert.ok(Receiver.fromEnvironment(DEV) !== undefined);
  const moved = { POSTRIDER_DEV: "http://127.0.0.1:9000" };
  assert.equal(new Transport({}, moved).baseUrl, "http://127.0.0.1:9000");
  assert.equal(new Transport({}, moved).token, token);
});

test("what is set wins, and a key of one's own leaves the public ones out", () => {
  const own = { ...DEV, POSTRIDER_TOKEN: "t", POSTRIDER_URL: "http://there" };
  assert.equal(new Transport({}, own).token, "t");
  assert.equal(new Transport({}, own).baseUrl, "http://there");
  const key = { ...DEV, POSTRIDER_NEXT_SIGNING_KEY: "sig_mine" };
  assert.equal(variableOf("POSTRIDER_CURRENT_SIGNING_KEY", key), undefined);
  assert.equal(variableOf("POSTRIDER_NEXT_SIGNING_KEY", key), "sig_mine");
});

test("without it, or with 0, nothing is assumed", () => {
  for (const environment of [{}, { POSTRIDER_DEV: "" }, { POSTRIDER_DEV: "0" }]) {
    assert.throws(() => new Transport({}, environment), /POSTRIDER_TOKEN/);
    assert.equal(Receiver.fromEnvironment(environment), undefined);
  }
});
