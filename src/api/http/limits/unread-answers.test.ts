import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import {
  OWNER_UNREAD_BYTES_MAX,
  REQUEST_BYTES,
  UNREAD_BYTES_MAX,
  UnreadAnswers,
  UnreadRoom,
} from "./unread-answers.ts";

function requestTo(url: string, rawHeaders: readonly string[] = []): IncomingMessage {
  const socket = { destroyed: false, destroy: () => (socket.destroyed = true) };
  return { url, rawHeaders, socket } as unknown as IncomingMessage;
}

const HALF = OWNER_UNREAD_BYTES_MAX / 2;

function holding() {
  const unread = new UnreadAnswers();
  const ended: string[] = [];
  const hold = (owner: string, bytes: number, name: string): (() => void) =>
    unread.hold(owner, bytes, () => ended.push(name));
  return { unread, ended, hold };
}

test("an owner past its share loses its oldest answer, and no other owner loses one", () => {
  const { unread, ended, hold } = holding();
  hold("other", HALF, "other");
  hold("one", HALF, "first");
  hold("one", HALF, "second");
  assert.deepEqual(ended, []);
  hold("one", 1, "third");
  assert.deepEqual(ended, ["first"]);
  assert.equal(unread.bytes, 2 * HALF + 1);
});

test("an answer larger than a share ends those before it, and is written", () => {
  const { ended, hold } = holding();
  hold("one", 1, "first");
  hold("one", 3 * OWNER_UNREAD_BYTES_MAX, "large");
  assert.deepEqual(ended, ["first"]);
});

test("when all is full, the owner that holds most loses its oldest", () => {
  const { unread, ended, hold } = holding();
  const owners = UNREAD_BYTES_MAX / OWNER_UNREAD_BYTES_MAX;
  for (let owner = 0; owner < owners; owner++) {
    hold(`owner-${owner}`, HALF - owners + owner, `oldest of ${owner}`);
    hold(`owner-${owner}`, HALF, `newest of ${owner}`);
  }
  assert.deepEqual(ended, []);
  hold("newcomer", HALF, "newcomer");
  assert.deepEqual(ended, ["oldest of 3"]);
  assert.ok(unread.bytes <= UNREAD_BYTES_MAX);
});

test("an owner with one answer keeps it while another has several", () => {
  const { ended, hold } = holding();
  hold("one", UNREAD_BYTES_MAX - OWNER_UNREAD_BYTES_MAX, "large");
  hold("other", HALF, "first");
  hold("other", HALF, "second");
  hold("newcomer", 1, "newcomer");
  assert.deepEqual(ended, ["first"]);
});

test("an answer larger than all is written, when it is the only one", () => {
  const { ended, hold } = holding();
  hold("one", 2 * UNREAD_BYTES_MAX, "large");
  assert.deepEqual(ended, []);
});

test("one answer of each of very many callers is bounded too: the first to wait are ended", () => {
  const { unread, ended, hold } = holding();
  const callers = UNREAD_BYTES_MAX / HALF;
  for (let caller = 0; caller < callers + 3; caller++) hold(`${caller}`, HALF, `${caller}`);
  assert.deepEqual(ended, ["0", "1", "2"]);
  assert.equal(unread.bytes, UNREAD_BYTES_MAX);
});

test("what is read, or was ended, is released once", () => {
  const { unread, ended, hold } = holding();
  const read = hold("one", HALF, "first");
  hold("one", HALF, "second");
  hold("one", HALF, "third");
  assert.deepEqual(ended, ["first"]);
  read();
  read();
  assert.equal(unread.bytes, 2 * HALF);
});

test("an answer that must go ends its connection", () => {
  const unread = new UnreadAnswers();
  const request = requestTo("/");
  new UnreadRoom(unread, () => "one", request).hold(OWNER_UNREAD_BYTES_MAX);
  unread.hold("one", 1, () => undefined);
  assert.equal(request.socket.destroyed, true);
});

test("a room is charged once, with what the request and its head take", () => {
  const unread = new UnreadAnswers();
  const room = new UnreadRoom(unread, () => "one", requestTo("/123", ["X-1", "23"]));
  room.hold(10);
  room.hold(10);
  assert.equal(unread.bytes, REQUEST_BYTES + 9 + 10);
  room.release();
  room.release();
  assert.equal(unread.bytes, 0);
});
