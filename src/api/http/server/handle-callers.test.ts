import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { GOOD, say, SEALED, startRoutes } from "../../../../test/support/handled-routes.ts";
import { SESSION_COOKIE } from "../../../wire/account/session.ts";
import { REQUESTS_AT_ONCE_MAX } from "./connection.ts";

const COOKIE = `Cookie: ${SESSION_COOKIE}=${SEALED}`;

/** Sends the head of a request whose body is held back. */
function sendHead(port: number, token: string): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  const body = "Content-Length: 3\r\nExpect: 100-continue";
  socket.write(
    `POST /body HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n${body}\r\n\r\n`,
  );
  return socket;
}

test("a session counts where no token is given, in the head or the query", async (t) => {
  const { port } = await startRoutes(t);
  const head = `GET /read HTTP/1.1\r\n${COOKIE}`;
  assert.match(await say(port, head), /"accountId":"person"/);
  assert.match(
    await say(port, `${head}\r\nAuthorization: Bearer ${GOOD}`),
    /"accountId":"account"/,
  );
  const inQuery = `GET /read?svc_token=${encodeURIComponent(GOOD)} HTTP/1.1\r\n${COOKIE}`;
  assert.match(await say(port, inQuery), /"accountId":"account"/);
  for (const wrong of ["Bearer other", "Bearer ", "Basic eDp5"]) {
    assert.match(await say(port, `${head}\r\nAuthorization: ${wrong}`), /^HTTP\/1\.1 401 /, wrong);
  }
});

test("a token that is revoked while its body comes is refused", async (t) => {
  const { port, tokens } = await startRoutes(t);
  const socket = sendHead(port, GOOD);
  const [asked] = (await once(socket, "data")) as [Buffer];
  assert.match(String(asked), /^HTTP\/1\.1 100 /);
  tokens.delete(GOOD);
  socket.end("abc");
  assert.match(await text(socket), /^HTTP\/1\.1 401 /);
});

test("a refusal without the body closes the connection: the body may come all the same", async (t) => {
  const { port } = await startRoutes(t);
  const socket = sendHead(port, "other");
  assert.match(await text(socket), /^HTTP\/1\.1 401 .*Connection: close\r\n/s);
});

test("a request too many on one connection counts among the refusals", async (t) => {
  const { port, refusals } = await startRoutes(t, "starting");
  const socket = connect({ port, host: "127.0.0.1" });
  t.after(() => socket.destroy());
  const change = `POST /change HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\n\r\n`;
  socket.write(change.repeat(REQUESTS_AT_ONCE_MAX + 1));
  await t.waitFor(() => assert.equal(refusals.counts.get("too-many-requests"), 1));
});
