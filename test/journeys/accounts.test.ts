/** Who may do what, and with which keys. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { call } from "../support/http-call.ts";
import { journeys } from "../support/journeys.ts";
import { OTHER_TOKEN } from "../support/service-harness.ts";

journeys("accounts", {}, (journey) => {
  test("without a token of ours nothing is answered", async () => {
    const { url, token } = journey.service;
    const missing = "the Authorization header is missing; send Authorization: Bearer <token>";
    for (const [wrong, reason] of [
      [null, missing],
      ["", "the Authorization header is not Bearer <token>"],
      ["nonsense", "invalid token"],
      [`${token}x`, "invalid token"],
      [token.slice(0, -1), "invalid token"],
    ] as const) {
      const answer = await call(url, "GET", "/v2/keys", { token: wrong });
      assert.equal(answer.status, 401);
      assert.equal(answer.json["error"], `unable to authenticate: ${reason}`);
      assert.equal(answer.json["code"], "unauthorized");
    }
    const basic = { Authorization: `Basic ${token}` };
    const other = await call(url, "GET", "/v2/keys", { headers: basic });
    assert.equal(other.status, 401);
    assert.match(other.text, /is not Bearer/);
    const console = await call(url, "GET", "/v2/svc/users");
    assert.match(console.text, /the Authorization header is missing; the console needs Basic auth/);
    const twice = { Authorization: [`Bearer ${token}`, `Bearer ${token}`] };
    const answer = await call(url, "GET", "/v2/keys", { headers: twice });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /Authorization/);
  });

  test("a read-only token reads and does not write", async () => {
    const { service, destination } = journey;
    const { readOnlyToken: token } = service.credentials;
    for (const path of ["/v2/logs", "/v2/events", "/v2/dlq"]) {
      assert.equal(await service.status("GET", path, { token }), 200, path);
    }
    const before = await service.rowCount();
    for (const [method, path] of [
      ["POST", `/v2/publish/${destination.url}/x`],
      ["DELETE", "/v2/messages/msg_1"],
      ["DELETE", "/v2/dlq"],
      ["DELETE", "/v2/dlq/1-1"],
      ["POST", "/v2/dlq/retry"],
      ["POST", "/v2/dlq/retry/1-1"],
      ["GET", "/v2/keys"],
      ["POST", "/v2/keys/rotate"],
    ] as const) {
      const answer = await service.call(method, path, { token });
      assert.equal(answer.status, 403, path);
      assert.equal(answer.json["code"], "forbidden");
    }
    assert.equal(await service.rowCount(), before);
  });

  test("an account does not see what another has", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({ status: 500 });
    const messageId = await service.publish(`${destination.url}/mine`, { "Svc-Retries": "0" });
    const { dlqId } = await service.deadLetterOf(messageId);
    const token = OTHER_TOKEN;
    for (const [method, path] of [
      ["GET", `/v2/messages/${messageId}`],
      ["DELETE", `/v2/messages/${messageId}`],
      ["GET", `/v2/dlq/${dlqId}`],
      ["DELETE", `/v2/dlq/${dlqId}`],
      ["POST", `/v2/dlq/retry/${dlqId}`],
      ["POST", `/v2/dlq/retry?dlqIds=${dlqId}`],
    ] as const) {
      assert.equal(await service.status(method, path, { token }), 404, path);
    }
    assert.deepEqual((await service.call("GET", "/v2/logs", { token })).json, { logs: [] });
    assert.deepEqual((await service.call("DELETE", "/v2/dlq", { token })).json, { deleted: 0 });
    const cursor = (await service.get("/v2/logs?count=1"))["cursor"] as string;
    const foreign = await service.call("GET", `/v2/logs?cursor=${cursor}`, { token });
    assert.deepEqual(foreign.json, { logs: [] });
  });

  test("keys rotate, and the next delivery is signed with the new current one", async () => {
    const { service, destination } = journey;
    destination.respond = () => ({});
    const before = await service.call("GET", "/v2/keys");
    assert.equal(before.json["current"], service.credentials.currentSigningKey);
    assert.equal(before.headers["cache-control"], "no-store");
    const rotated = await service.call("POST", "/v2/keys/rotate");
    assert.equal(rotated.json["current"], before.json["next"]);
    assert.match(rotated.json["next"] as string, /^sig_[1-9A-HJ-NP-Za-km-z]{28}$/);
    assert.deepEqual(await service.get("/v2/keys"), rotated.json);
    await service.publish(`${destination.url}/signed`);
    const [request] = await destination.received("/signed");
    const [header, claims, signature] = (request.headers["svc-signature"] ?? "").split(".");
    const expected = createHmac("sha256", rotated.json["current"] as string)
      .update(`${header}.${claims}`)
      .digest("base64url");
    assert.equal(signature, expected);
  });
});
