import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import type { Problem } from "../../../core/problem.ts";
import { ACCOUNT_ANSWER_BYTES_MAX, AnswerRoom, createAnswerBudget } from "./answer-budget.ts";
import { refusalAnswer } from "../answers/problem-answer.ts";

const HALF = ACCOUNT_ANSWER_BYTES_MAX / 2;

function rooms(): { clock: ManualClock; roomOf: (accountId: string) => AnswerRoom } {
  const clock = new ManualClock();
  const budget = createAnswerBudget(clock);
  const request = { socket: new EventEmitter() } as unknown as IncomingMessage;
  return { clock, roomOf: (accountId) => new AnswerRoom(budget, accountId, request) };
}

test("an account whose answers fill its share waits, and is told to come back", async () => {
  const { clock, roomOf } = rooms();
  const held = [roomOf("one"), roomOf("one")];
  for (const room of held) await room.reserve(HALF);
  await roomOf("other").reserve(HALF);
  const refused = roomOf("one")
    .reserve(1)
    .then(
      () => assert.fail("it had room"),
      (problem: Problem) => refusalAnswer(problem),
    );
  clock.advance(10_000);
  const { status, headers } = await refused;
  assert.equal(status, 503);
  assert.deepEqual(headers, ["Retry-After", "1"]);
  held[0]!.release();
  await roomOf("one").reserve(HALF);
});

test("an answer that turns out larger than was reserved is written, and counts", async () => {
  const { clock, roomOf } = rooms();
  const large = roomOf("one");
  await large.reserve(1);
  large.hold(2 * ACCOUNT_ANSWER_BYTES_MAX);
  const next = roomOf("one").reserve(1);
  clock.advance(9_999);
  large.hold(1);
  await next;
});

test("an answer for which nothing was reserved counts from when it is written", async () => {
  const { clock, roomOf } = rooms();
  const room = roomOf("one");
  room.hold(ACCOUNT_ANSWER_BYTES_MAX);
  const refused = assert.rejects(roomOf("one").reserve(1), { kind: "overloaded" });
  clock.advance(10_000);
  await refused;
  room.release();
  await roomOf("one").reserve(1);
});

test("an answer that was refused more room counts by what is written of it", async () => {
  const { clock, roomOf } = rooms();
  const held = roomOf("one");
  await held.reserve(ACCOUNT_ANSWER_BYTES_MAX);
  const room = roomOf("one");
  const refused = assert.rejects(room.reserve(1), { kind: "overloaded" });
  clock.advance(10_000);
  await refused;
  held.release();
  room.hold(ACCOUNT_ANSWER_BYTES_MAX);
  const next = assert.rejects(roomOf("one").reserve(1), { kind: "overloaded" });
  clock.advance(10_000);
  await next;
});

test("what is reserved again and is not more keeps its place", async () => {
  const { roomOf } = rooms();
  const reserved = roomOf("one");
  await reserved.reserve(HALF);
  const written = roomOf("one");
  written.hold(HALF);
  let isAdmitted = false;
  const waiting = roomOf("one").reserve(HALF);
  void waiting.then(() => (isAdmitted = true));
  for (const room of [reserved, written]) {
    await room.reserve(HALF);
    await room.reserve(1);
  }
  assert.equal(isAdmitted, false);
  reserved.release();
  await waiting;
});

test("requests that each want more do not wait for one another", async () => {
  const { roomOf } = rooms();
  const one = roomOf("one");
  const other = roomOf("one");
  await one.reserve(HALF);
  await other.reserve(HALF);
  const more = one.reserve(2 * HALF);
  const released = other.reserve(2 * HALF);
  await more;
  one.release();
  await released;
});

test("a room that was released reserves anew", async () => {
  const { clock, roomOf } = rooms();
  const room = roomOf("one");
  await room.reserve(HALF);
  room.release();
  await room.reserve(HALF);
  await roomOf("one").reserve(HALF);
  const refused = assert.rejects(roomOf("one").reserve(1), { kind: "overloaded" });
  clock.advance(10_000);
  await refused;
});

test("a caller that hangs up while it waits leaves its slot to others", async () => {
  const budget = createAnswerBudget(new ManualClock());
  const socket = new EventEmitter();
  const request = { socket } as unknown as IncomingMessage;
  const held = new AnswerRoom(budget, "one", request);
  await held.reserve(ACCOUNT_ANSWER_BYTES_MAX);
  assert.equal(socket.listenerCount("close"), 0);
  const gone = assert.rejects(new AnswerRoom(budget, "one", request).reserve(2 * HALF));
  socket.emit("close");
  await gone;
  assert.equal(socket.listenerCount("close"), 0);
  held.release();
  assert.equal(budget.held, 0);
});

test("a caller that closes its side does not wait, whether it does so before or meanwhile", async () => {
  const budget = createAnswerBudget(new ManualClock());
  const socket = Object.assign(new EventEmitter(), { readableEnded: false });
  const request = { socket } as unknown as IncomingMessage;
  await new AnswerRoom(budget, "one", request).reserve(ACCOUNT_ANSWER_BYTES_MAX);
  const refused = assert.rejects(new AnswerRoom(budget, "one", request).reserve(HALF), {
    kind: "overloaded",
  });
  socket.readableEnded = true;
  socket.emit("end");
  await refused;
  await assert.rejects(new AnswerRoom(budget, "one", request).reserve(HALF), {
    kind: "overloaded",
  });
  assert.equal(budget.waiting, 0);
  assert.equal(socket.listenerCount("end"), 0);
});

test("an answer grows only while its account has room, and gives all of it back", async () => {
  const { roomOf } = rooms();
  const room = roomOf("one");
  await room.reserve(HALF);
  assert.equal(room.grow(HALF), true);
  assert.equal(room.grow(1), false);
  assert.equal(roomOf("one").grow(1), false);
  room.release();
  await roomOf("one").reserve(ACCOUNT_ANSWER_BYTES_MAX);
});
