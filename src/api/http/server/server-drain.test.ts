import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import {
  ask,
  connectTo,
  get,
  isRefused,
  startApiServer,
} from "../../../../test/support/api-server.ts";
import { until } from "../../../../test/support/eventually.ts";
import { nextTurn } from "../../../platform/turn.ts";

const PATIENT = { timeout: 60_000 };

test(
  "a drain waits for each request in progress, and closes idle connections",
  PATIENT,
  async (t) => {
    const { server, port, held } = await startApiServer(t);
    const [idle, first, second] = [
      await connectTo(t, port),
      await connectTo(t, port),
      await connectTo(t, port),
    ];
    await ask(idle, get("/quick"));
    const answers = [ask(first, get("/held")), ask(second, get("/held"))];
    await until(() => held.length === 2, "both are in progress");
    let isDrained = false;
    const drained = server.drain(0).then(() => (isDrained = true));
    assert.equal(await text(idle), "");
    for (const [index, answer] of held.entries()) {
      await nextTurn();
      assert.equal(isDrained, false);
      answer();
      assert.match(await answers[index]!, /^HTTP\/1\.1 200 /);
    }
    await drained;
    assert.equal(await isRefused(port), true);
  },
);

test("a drain with nothing in progress ends at once", PATIENT, async (t) => {
  const { server, port } = await startApiServer(t);
  await ask(await connectTo(t, port), get("/quick"));
  await server.drain(0);
});

test("open connections may bring requests until their time is over", PATIENT, async (t) => {
  const { server, port, clock } = await startApiServer(t);
  const socket = await connectTo(t, port);
  await ask(socket, get("/quick"));
  await server.stopListening();
  assert.equal(await isRefused(port), true);
  const drained = server.drain(1_000);
  clock.advance(999);
  assert.match(await ask(socket, get("/quick")), /^HTTP\/1\.1 200 /);
  clock.advance(1);
  await drained;
  assert.equal(await text(socket), "");
});

test("a drain does not wait for connections that have ended", PATIENT, async (t) => {
  const { server, port } = await startApiServer(t);
  const socket = await connectTo(t, port);
  await ask(socket, get("/quick"));
  await server.stopListening();
  const drained = server.drain(1_000);
  socket.destroy();
  await drained;
});

test("a close ends every connection, also one with a request in progress", PATIENT, async (t) => {
  const { server, port, held } = await startApiServer(t);
  const socket = await connectTo(t, port);
  socket.write(get("/held"));
  await until(() => held.length === 1, "it is in progress");
  server.close();
  assert.equal(await text(socket).catch(() => ""), "");
  assert.equal(await isRefused(port), true);
});
