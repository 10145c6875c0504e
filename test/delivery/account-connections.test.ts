/** A kept connection belongs to one account, and the connections to an origin are still bounded. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { answered, deliveryTo, send, startCourier } from "./sending.ts";
import { startHttp, startRaw } from "./server.ts";

function answerOf(text: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

function deliveryOf(accountId: string, url: string, body = "") {
  return deliveryTo(url, { accountId, timeoutMs: 5_000 }, body);
}

async function sentBy(courier: ReturnType<typeof startCourier>, accountId: string, url: string) {
  const { body } = answered(await send(courier, deliveryOf(accountId, url)));
  return Buffer.from(body).toString();
}

test("a late second answer never reaches another account", async (t) => {
  const firstOf = new Map<Socket, number>();
  const server = await startRaw(t, (socket, count) => {
    // Every later answer on a connection is one more to its first request.
    if (!firstOf.has(socket)) firstOf.set(socket, count);
    socket.write(answerOf(`to request ${firstOf.get(socket)}`));
  });
  const courier = startCourier(t);
  assert.equal(await sentBy(courier, "acc_a", server.url), "to request 1");
  assert.equal(await sentBy(courier, "acc_b", server.url), "to request 2");
  assert.equal(server.connections(), 2);
});

test("a body that the origin has not read swallows no request of another account", async (t) => {
  const begun = new Set<Socket>();
  const server = await startRaw(t, (socket) => {
    // The origin takes all that follows the first request for the rest of its body.
    if (begun.has(socket)) return;
    begun.add(socket);
    socket.write(answerOf("early"));
  });
  const courier = startCourier(t);
  assert.equal(await sentBy(courier, "acc_a", server.url), "early");
  assert.equal(await sentBy(courier, "acc_b", server.url), "early");
});

test("an account still uses its own connection again", async (t) => {
  const server = await startRaw(t, (socket) => socket.write(answerOf("ok")));
  const courier = startCourier(t);
  for (let round = 0; round < 3; round++) {
    await sentBy(courier, "acc_a", server.url);
    await sentBy(courier, "acc_b", server.url);
  }
  assert.equal(server.connections(), 2);
});

test("an idle connection of another account is closed when the origin has no more", async (t) => {
  const server = await startRaw(t, (socket) => socket.write(answerOf("ok")));
  const courier = startCourier(t, { connectionsMax: 2 });
  for (const accountId of ["acc_a", "acc_b", "acc_c", "acc_d", "acc_a"]) {
    assert.equal(await sentBy(courier, accountId, server.url), "ok");
  }
  assert.equal(server.connections(), 5);
  await t.waitFor(() => assert.ok(server.open() <= 2));
});

/** Answers one request at a time, when told, and counts the most that were open at once. */
async function startHolding(t: TestContext) {
  const arrived: string[] = [];
  const held: (() => void)[] = [];
  let openMax = 0;
  const server = await startHttp(t, (request, response) => {
    openMax = Math.max(openMax, held.length + 1);
    arrived.push(request.url ?? "");
    held.push(() => response.end("ok"));
  });
  const arrives = (count: number): Promise<void> =>
    t.waitFor(() => assert.equal(arrived.length, count));
  return { server, arrived, arrives, openMax: () => openMax, answer: () => held.shift()!() };
}

test("accounts that wait for a connection of a full origin take turns", async (t) => {
  const { server, arrived, arrives, answer, openMax } = await startHolding(t);
  const courier = startCourier(t, { connectionsMax: 1 });
  const sent = ["/a1", "/a2", "/a3", "/b1", "/b2", "/c1"].map((path) =>
    send(courier, deliveryOf(`acc_${path[1]}`, server.url + path)),
  );
  for (let count = 1; count <= sent.length; count++) {
    await arrives(count);
    answer();
  }
  for (const outcome of await Promise.all(sent)) answered(outcome);
  assert.deepEqual(arrived, ["/a1", "/b1", "/c1", "/a2", "/b2", "/a3"]);
  assert.equal(openMax(), 1);
});

test("an account that fills an origin shares its connections with one that comes later", async (t) => {
  const { server, arrived, arrives, answer, openMax } = await startHolding(t);
  const courier = startCourier(t, { connectionsMax: 4 });
  const sendMany = (name: string) =>
    Array.from({ length: 8 }, (_, index) =>
      send(courier, deliveryOf(`acc_${name}`, `${server.url}/${name}${index}`)),
    );
  const sent = sendMany("a");
  await arrives(4);
  sent.push(...sendMany("b"));
  for (let count = 4; count < 16; count++) {
    answer();
    await arrives(count + 1);
  }
  for (let left = 0; left < 4; left++) answer();
  for (const outcome of await Promise.all(sent)) answered(outcome);
  assert.equal(openMax(), 4);
  // Two of the four connections change hands with the first answers, and no more.
  assert.deepEqual(arrived.slice(4, 12), ["/b0", "/b1", "/a4", "/a5", "/b2", "/b3", "/a6", "/a7"]);
});

test("a wait for a full origin that is given up leaves nothing behind", async (t) => {
  const { server, arrives, answer } = await startHolding(t);
  const courier = startCourier(t, { connectionsMax: 1 });
  const first = send(courier, deliveryOf("acc_a", server.url));
  await arrives(1);
  const given = courier.send(deliveryOf("acc_b", server.url));
  given.abort();
  await given.outcome;
  assert.equal(courier.openPools, 1);
  answer();
  answered(await first);
  assert.equal(
    await Promise.race([sentBy(courier, "acc_c", server.url), turn(arrives, answer)]),
    "ok",
  );
});

test("a pool whose own connection came free no longer waits for another's", async (t) => {
  const { server, arrives, answer } = await startHolding(t);
  const courier = startCourier(t, { connectionsMax: 2 });
  const sendAs = (name: string) => send(courier, deliveryOf(`acc_${name}`, server.url));
  const first = sendAs("a");
  await arrives(1);
  const other = sendAs("b");
  await arrives(2);
  const second = sendAs("a");
  answer();
  answered(await first);
  await arrives(3);
  answer();
  answered(await other);
  const again = sendAs("b");
  await arrives(4);
  answer();
  answer();
  for (const outcome of await Promise.all([second, again])) answered(outcome);
  assert.equal(server.connections(), 2);
});

async function turn(arrives: (count: number) => Promise<void>, answer: () => void): Promise<never> {
  await arrives(2);
  answer();
  return new Promise(() => undefined);
}

test("of more pools than are kept the one that was used longest ago goes", async (t) => {
  const server = await startRaw(t, (socket) => socket.write(answerOf("ok")));
  const courier = startCourier(t, { poolsMax: 2 });
  for (const name of ["a", "b", "a", "c", "a"]) {
    assert.equal(await sentBy(courier, `acc_${name}`, server.url), "ok");
  }
  assert.equal(server.connections(), 3);
});

test("what is under way or waits is not ended for an account that comes later", async (t) => {
  const { server, arrives, answer } = await startHolding(t);
  const courier = startCourier(t, { connectionsMax: 1, poolsMax: 1 });
  const sent = ["a", "b", "c"].map((name) => send(courier, deliveryOf(`acc_${name}`, server.url)));
  for (let count = 1; count <= 3; count++) {
    await arrives(count);
    answer();
  }
  for (const outcome of await Promise.all(sent)) answered(outcome);
  await t.waitFor(() => assert.ok(courier.openPools <= 1));
});

test("pools of many accounts and origins are bounded", async (t) => {
  const server = await startRaw(t, (socket) => socket.write(answerOf("ok")));
  const courier = startCourier(t, { poolsMax: 5, lookup: () => Promise.resolve(["127.0.0.1"]) });
  for (let index = 0; index < 40; index++) {
    const url = `http://origin-${index % 4}.test:${server.port}`;
    assert.equal(await sentBy(courier, `acc_${index}`, url), "ok");
    assert.ok(courier.openPools <= 5);
  }
  await t.waitFor(() => assert.ok(server.open() <= 5));
});
