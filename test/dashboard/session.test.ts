/** What the page says of a session that is over. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

// The page's clock listens to its document, and ticks for as long as the page is there.
Reflect.set(globalThis, "document", new EventTarget());
mock.timers.enable({ apis: ["setInterval"] });
// By its address, since the types of a browser are not known here.
const app = new URL("../../dashboard/src/app/", import.meta.url);
const { call } = (await import(new URL("api.ts", app).href)) as {
  call: (path: string) => Promise<unknown>;
};
const { hasEnded, session, signIn, signOut } = (await import(new URL("session.ts", app).href)) as {
  hasEnded: { value: boolean };
  session: { value: unknown };
  signIn: (credentials: { token: string }) => Promise<void>;
  signOut: () => Promise<void>;
};

const SIGNED_IN = { kind: "account", accountId: "a", name: "a", scope: "full" };

let isRevoked = false;

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

async function answer(path: string): Promise<Response> {
  const isKnown = path.startsWith("/v2/session") || !isRevoked;
  return Response.json(isKnown ? SIGNED_IN : { error: "unknown token" }, {
    status: isKnown ? 200 : 401,
  });
}
