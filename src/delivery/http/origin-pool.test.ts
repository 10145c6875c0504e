import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Inlet } from "./dial.ts";
import type { OutboundExchange } from "./outbound-exchange.ts";
import { OriginPool } from "./origin-pool.ts";
import { OriginRooms } from "./origin-room.ts";

const ORIGIN = "http://example.test";
const NO_CONTENT = "HTTP/1.1 204 No Content\r\n\r\n";

/** A socket that takes everything and says nothing. */
class QuietSocket extends EventEmitter {
  readonly writableLength = 0;
  isDestroyed = false;
  write(): boolean {
    return true;
  }
  destroy(): void {
    this.isDestroyed = true;
  }
}

/** A connection that is being opened. */
interface Dialed {
  readonly signal: AbortSignal;
  readonly inlet: Inlet;
  readonly open: () => QuietSocket;
  readonly fail: (error: Error) => void;
}

/** The pool of one account, whose connections come to stand when the test says so. */
function pool(rooms = new OriginRooms(10)) {
  const clock = new ManualClock();
  const dialed: Dialed[] = [];
  let unused = 0;
  const opened = new OriginPool("key", ORIGIN, {
    clock,
    rooms,
    connect: (_target, inlet, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<Socket>();
      const open = (): QuietSocket => {
        const socket = new QuietSocket();
        resolve(socket as unknown as Socket);
        return socket;
      };
      dialed.push({ signal, inlet, open, fail: reject });
      return promise;
    },
    onUnused: () => (unused += 1),
  });
  return { pool: opened, dialed, clock, unused: () => unused };
}

class Request implements OutboundExchange {
  readonly request = { method: "POST", path: "/", headers: [], body: null };
  state = "waiting";
  error: unknown;
  abort(): void {
    this.state = "aborted";
  }
  onStart(): void {
    this.state = "started";
  }
  onHead(): void {}
  onData(): void {}
  onEnd(): void {
    this.state = "ended";
  }
  onFailure(error: unknown): void {
    this.state = "failed";
    this.error = error;
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a request that is taken back leaves one connection, which the next does not count on", async () => {
  const { pool: opened, dialed } = pool();
  const [first, second] = [new Request(), new Request()];
  opened.submit(first);
  opened.withdraw(first);
  opened.submit(second);
  assert.equal(dialed.length, 2);
  assert.equal(opened.connections, 2);
  dialed[0]!.fail(new Error("silent"));
  await settled();
  assert.equal(second.state, "waiting", "the failure was that of the request before");
  assert.equal(dialed.length, 2);
  dialed[1]!.open();
  await settled();
  assert.equal(second.state, "started");
});

test("a connection that was left over carries the next request, and the other stays idle", async () => {
  const { pool: opened, dialed, clock } = pool();
  const [first, second] = [new Request(), new Request()];
  opened.submit(first);
  opened.withdraw(first);
  opened.submit(second);
  dialed[0]!.open();
  await settled();
  assert.equal(second.state, "started");
  assert.ok(!opened.hasIdle);
  const spare = dialed[1]!.open();
  await settled();
  assert.ok(opened.hasIdle);
  clock.advance(3_999);
  assert.ok(!spare.isDestroyed, "it may be idle for four seconds");
  clock.advance(1);
  assert.ok(spare.isDestroyed);
  assert.equal(opened.connections, 1);
});

test("a connection that carried another request meanwhile is closed in time too", async () => {
  const { pool: opened, dialed, clock } = pool();
  const answer = (): boolean => dialed[0]!.inlet.receive(Buffer.from(NO_CONTENT));
  opened.submit(new Request());
  const socket = dialed[0]!.open();
  await settled();
  answer();
  clock.advance(400);
  const second = new Request();
  opened.submit(second);
  clock.advance(10_000);
  assert.ok(!socket.isDestroyed, "it is not idle");
  answer();
  assert.equal(second.state, "ended");
  assert.ok(opened.hasIdle);
  assert.equal(clock.alarmCount, 1);
  clock.advance(4_500);
  assert.ok(socket.isDestroyed);
});

test("a connection of a pool that was ended before is closed in time too", async () => {
  const { pool: opened, dialed, clock } = pool();
  for (const round of [0, 1]) {
    opened.submit(new Request());
    const socket = dialed[round]!.open();
    await settled();
    dialed[round]!.inlet.receive(Buffer.from(NO_CONTENT));
    assert.ok(opened.hasIdle);
    if (round === 0) opened.destroy();
    clock.advance(4_500);
    assert.ok(socket.isDestroyed);
  }
  assert.equal(clock.alarmCount, 0);
});

test("what cannot be opened fails the request that has waited longest", async () => {
  const { pool: opened, dialed } = pool();
  const requests = [new Request(), new Request()];
  for (const request of requests) opened.submit(request);
  const error = new Error("refused");
  dialed[1]!.fail(error);
  await settled();
  assert.deepEqual(
    requests.map(({ state }) => state),
    ["failed", "waiting"],
  );
  assert.equal(requests[0]!.error, error);
  assert.equal(opened.connections, 1);
});

test("a request that waited behind one that was taken back hears that its origin is gone", async () => {
  const { pool: opened, dialed } = pool(new OriginRooms(1));
  const [first, second] = [new Request(), new Request()];
  opened.submit(first);
  opened.submit(second);
  opened.withdraw(first);
  assert.equal(dialed.length, 1);
  dialed[0]!.fail(new Error("refused"));
  await settled();
  assert.equal(second.state, "failed");
});

test("a pool that is not used leaves its origin, and comes back to it with the next request", async (t) => {
  const rooms = new OriginRooms(1);
  const left = t.mock.method(rooms, "leave");
  const { pool: opened, dialed, unused } = pool(rooms);
  for (const round of [1, 2, 3]) {
    const request = new Request();
    opened.submit(request);
    assert.equal(dialed.length, round);
    dialed[round - 1]!.fail(new Error("refused"));
    await settled();
    assert.equal(request.state, "failed");
    assert.equal(unused(), round);
    assert.equal(left.mock.callCount(), round);
  }
  const other = pool(rooms);
  other.pool.submit(new Request());
  assert.equal(other.dialed.length, 1, "the origin is full though no pool has a connection");
});

test("a connection of a request that was taken back is given to another account that waits", () => {
  const rooms = new OriginRooms(1);
  const [one, other] = [pool(rooms), pool(rooms)];
  const first = new Request();
  one.pool.submit(first);
  other.pool.submit(new Request());
  assert.equal(other.dialed.length, 0);
  one.pool.withdraw(first);
  assert.ok(one.dialed[0]!.signal.aborted);
  assert.equal(other.dialed.length, 1);
});

test("a connection that was given up is given back once, and closes no other", async () => {
  const rooms = new OriginRooms(3);
  const [one, idle, other, last] = [pool(rooms), pool(rooms), pool(rooms), pool(rooms)];
  const given = new Request();
  for (const request of [new Request(), given]) one.pool.submit(request);
  one.dialed[0]!.open();
  idle.pool.submit(new Request());
  idle.dialed[0]!.open();
  await settled();
  idle.dialed[0]!.inlet.receive(Buffer.from(NO_CONTENT));
  one.pool.withdraw(given);
  other.pool.submit(new Request());
  assert.ok(one.dialed[1]!.signal.aborted);
  assert.ok(idle.pool.hasIdle, "one is enough");
  one.dialed[1]!.fail(new Error("aborted"));
  await settled();
  assert.equal(other.dialed.length, 1);
  last.pool.submit(new Request());
  assert.ok(!idle.pool.hasIdle, "there is no room but that of the idle one");
});

test("the connection that was used last is used next, and the one before is given up first", async () => {
  const { pool: opened, dialed, clock } = pool();
  for (let count = 0; count < 3; count++) opened.submit(new Request());
  const sockets = dialed.map(({ open }) => open());
  await settled();
  for (const { inlet } of dialed) inlet.receive(Buffer.from(NO_CONTENT));
  assert.equal(clock.alarmCount, 1, "one timer watches all");
  opened.giveUpSpare();
  assert.deepEqual(
    sockets.map(({ isDestroyed }) => isDestroyed),
    [true, false, false],
  );
  const next = new Request();
  opened.submit(next);
  dialed[2]!.inlet.receive(Buffer.from(NO_CONTENT));
  assert.equal(next.state, "ended");
});

test("a connection stays for its account when the other that wanted one no longer does", async () => {
  const rooms = new OriginRooms(1);
  const [one, other] = [pool(rooms), pool(rooms)];
  const given = new Request();
  one.pool.submit(new Request());
  const socket = one.dialed[0]!.open();
  await settled();
  other.pool.submit(given);
  other.pool.withdraw(given);
  one.dialed[0]!.inlet.receive(Buffer.from(NO_CONTENT));
  assert.ok(one.pool.hasIdle);
  assert.ok(!socket.isDestroyed);
});

test("an end aborts what waits, closes what is open and gives up what is being opened", async () => {
  const { pool: opened, dialed, unused } = pool();
  const requests = [new Request(), new Request()];
  for (const request of requests) opened.submit(request);
  const socket = dialed[0]!.open();
  await settled();
  opened.destroy();
  assert.deepEqual(
    requests.map(({ state }) => state),
    ["failed", "aborted"],
  );
  assert.ok(socket.isDestroyed);
  assert.ok(dialed[1]!.signal.aborted);
  assert.equal(opened.connections, 0);
  assert.ok(unused() > 0);
  const late = dialed[1]!.open();
  await settled();
  assert.ok(late.isDestroyed, "a connection that comes to stand too late is closed");
});
