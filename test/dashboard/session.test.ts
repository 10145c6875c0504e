/** What the page says of a session that is over. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { dashboardModule } from "../support/dashboard-modules.ts";

const { call } = await dashboardModule<{ call: (path: string) => Promise<unknown> }>("app/api.ts");
const { hasEnded, session, signIn, signOut } = await dashboardModule<{
  hasEnded: { value: boolean };
  session: { value: unknown };
  signIn: (credentials: { token: string }) => Promise<void>;
  signOut: () => Promise<void>;
}>("app/session.ts");

const SIGNED_IN = { kind: "account", accountId: "a", name: "a", scope: "full" };

let isRevoked = false;

describe("a session that is over", () => {
  beforeEach(async () => {
    isRevoked = false;
    mock.method(globalThis, "fetch", answer);
    await signIn({ token: "token" });
  });
  afterEach(() => mock.restoreAll());

  test("that it ended, when several panels are told so at once", async () => {
    isRevoked = true;
    await Promise.allSettled([call("/v2/queues"), call("/v2/flowControl")]);
    assert.deepEqual([session.value, hasEnded.value], [null, true]);
  });

  test("nothing, when the person ended it, though a panel asked meanwhile", async () => {
    isRevoked = true;
    const leaving = signOut();
    await Promise.allSettled([call("/v2/queues"), leaving]);
    assert.deepEqual([session.value, hasEnded.value], [null, false]);
  });
});

async function answer(path: string): Promise<Response> {
  const isKnown = path.startsWith("/v2/session") || !isRevoked;
  return Response.json(isKnown ? SIGNED_IN : { error: "unknown token" }, {
    status: isKnown ? 200 : 401,
  });
}
