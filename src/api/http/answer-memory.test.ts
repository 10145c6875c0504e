import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import type { Problem } from "../../core/problem.ts";
import { ACCOUNT_ANSWER_BYTES_MAX, AnswerRoom, createAnswerMemory } from "./answer-memory.ts";
import { refusalAnswer } from "./problem-answer.ts";

const HALF = ACCOUNT_ANSWER_BYTES_MAX / 2;

function rooms(): { clock: ManualClock; roomOf: (accountId: string) => AnswerRoom } {
  const clock = new ManualClock();
  const memory = createAnswerMemory(clock);
  const request = { socket: new EventEmitter() } as unknown as IncomingMessage;
  return { clock, roomOf: (accountId) => new AnswerRoom(memory, accountId, request) };
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
