import assert from "node:assert/strict";
import { test } from "node:test";
import { OriginRoom, OriginRooms, type RoomUser } from "./origin-room.ts";

/** A pool that opens as many connections as it wants; some of them are idle. */
class Pool implements RoomUser {
  connections = 0;
  spare = 0;
  wanted = 0;
  readonly #room: OriginRoom;

  constructor(room: OriginRoom) {
    this.#room = room;
  }

  want(count: number): this {
    this.wanted += count;
    this.openMore();
    return this;
  }

  openMore(): void {
    while (this.wanted > 0 && this.#room.take(this)) {
      this.wanted -= 1;
      this.connections += 1;
    }
  }

  giveUpSpare(): boolean {
    if (this.spare === 0) return false;
    this.spare -= 1;
    this.close();
    return true;
  }

  close(): void {
    this.connections -= 1;
    this.#room.give(this);
  }
}

function poolsOf(connectionsMax: number, ...wanted: number[]) {
  const room = new OriginRoom(connectionsMax);
  const pools = wanted.map((count) => new Pool(room).want(count));
  return { room, pools, counts: () => pools.map(({ connections }) => connections) };
}

test("an origin has so many connections, over all pools", () => {
  const { room, pools, counts } = poolsOf(3, 2, 2);
  assert.deepEqual(counts(), [2, 1]);
  assert.equal(room.isWanted, true);
  pools[0]!.close();
  assert.deepEqual(counts(), [1, 2]);
  assert.equal(room.isWanted, false);
});

test("of pools that wait, the one with the fewest connections is first, then the one that came first", () => {
  const { pools, counts } = poolsOf(3, 3, 1, 1);
  assert.deepEqual(counts(), [3, 0, 0]);
  pools[0]!.want(1);
  pools[0]!.close();
  assert.deepEqual(counts(), [2, 1, 0]);
  pools[0]!.close();
  assert.deepEqual(counts(), [1, 1, 1]);
  pools[1]!.close();
  assert.deepEqual(counts(), [2, 0, 1]);
});

test("a pool that came later is served first where it has fewer connections", () => {
  const { pools, counts } = poolsOf(3, 2, 1, 0);
  pools[0]!.want(1);
  pools[2]!.want(1);
  pools[1]!.close();
  assert.deepEqual(counts(), [2, 0, 1]);
});

test("an idle connection is taken from another pool only where the origin is full", () => {
  const { pools, counts } = poolsOf(3, 1, 0);
  pools[0]!.spare = 1;
  pools[1]!.want(1);
  assert.deepEqual(counts(), [1, 1]);
});

test("a full origin takes an idle connection of another pool, and one only", () => {
  const { pools, counts } = poolsOf(3, 1, 2, 0);
  pools[1]!.spare = 2;
  pools[2]!.want(1);
  assert.deepEqual(counts(), [1, 1, 1]);
  assert.equal(pools[1]!.spare, 1);
});

test("a pool without a connection is not asked for one", () => {
  const { pools, counts } = poolsOf(1, 1, 0);
  pools[0]!.close();
  pools[0]!.spare = 1;
  pools[1]!.want(1);
  assert.deepEqual(counts(), [0, 1]);
  const third = pools[1]!.want(1);
  assert.equal(third.wanted, 1);
  assert.equal(pools[0]!.spare, 1);
});

test("a pool that waits no longer is passed over", () => {
  const { room, pools, counts } = poolsOf(1, 1, 1, 1);
  room.stopWaiting(pools[1]!);
  pools[0]!.close();
  assert.deepEqual(counts(), [0, 0, 1]);
});

test("a free connection is closed for a pool that waits, when its own needs it less", () => {
  const { room, pools } = poolsOf(4, 3, 1);
  const [large, small] = pools as [Pool, Pool];
  assert.equal(room.mustYield(large, false), false, "none waits");
  large.want(1);
  assert.equal(room.mustYield(large, false), false, "it waits itself");
  small.want(1);
  assert.equal(room.mustYield(large, false), true, "it does not need it");
  assert.equal(room.mustYield(large, true), true, "it has two more than the other");
  large.close();
  assert.deepEqual([large.connections, small.connections], [2, 2]);
});

test("a pool that needs its connection yields it to one that has none, or has two fewer", () => {
  const { room, pools } = poolsOf(3, 2, 1);
  const [two, one] = pools as [Pool, Pool];
  one.want(1);
  assert.equal(room.mustYield(two, true), false, "they would only change places");
  assert.equal(room.mustYield(two, false), true);
  const none = new Pool(room).want(1);
  assert.equal(room.mustYield(two, true), true);
  assert.equal(room.mustYield(one, true), true);
  assert.equal(none.connections, 0);
});

test("a pool that yields waits no longer before the others", () => {
  const { room, pools, counts } = poolsOf(2, 2, 0);
  const [first, second] = pools as [Pool, Pool];
  first.want(1);
  second.want(1);
  assert.equal(room.mustYield(first, true), true);
  first.close();
  assert.deepEqual(counts(), [1, 1]);
  assert.equal(room.isWanted, false);
});

test("a pool that need not yield still waits", () => {
  const { room, pools, counts } = poolsOf(3, 2, 1);
  const [two, one] = pools as [Pool, Pool];
  two.want(1);
  one.want(1);
  assert.equal(room.mustYield(two, true), false);
  room.stopWaiting(one);
  one.close();
  assert.deepEqual(counts(), [3, 0]);
});

test("a room is that of its origin while a pool is in it", () => {
  const rooms = new OriginRooms(1);
  const first = rooms.enter("http://a.test");
  assert.equal(rooms.enter("http://a.test"), first);
  assert.notEqual(rooms.enter("http://b.test"), first);
  rooms.leave("http://a.test");
  assert.equal(rooms.enter("http://a.test"), first);
  rooms.leave("http://a.test");
  rooms.leave("http://a.test");
  const second = rooms.enter("http://a.test");
  assert.notEqual(second, first);
  assert.equal(new Pool(second).want(2).connections, 1);
});
