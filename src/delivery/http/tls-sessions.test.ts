import assert from "node:assert/strict";
import { test } from "node:test";
import { TLS_SESSIONS_MAX, TlsSessions } from "./tls-sessions.ts";

test("sessions of so many targets are kept, and the one that was given first goes", () => {
  const sessions = new TlsSessions();
  for (let number = 0; number < TLS_SESSIONS_MAX; number++) {
    sessions.keep(`${number}.test:443`, Buffer.of(1));
  }
  assert.ok(sessions.take("0.test:443"));
  sessions.keep("0.test:443", Buffer.of(2));
  sessions.keep("new.test:443", Buffer.of(3));
  assert.deepEqual(sessions.take("0.test:443"), Buffer.of(2));
  assert.equal(sessions.take("1.test:443"), undefined);
  assert.ok(sessions.take("2.test:443"));
  assert.ok(sessions.take("new.test:443"));
});
