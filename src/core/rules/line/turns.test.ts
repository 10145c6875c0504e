import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACCOUNTS_MAX,
  HOPS_MAX,
  inTurn,
  probedInTurn,
  shareOf,
  SlotParts,
  startingWith,
} from "./turns.ts";

test("a share is an equal part, and of no lines all", () => {
  assert.deepEqual(
    [shareOf(10, 3), shareOf(10, 1), shareOf(10, 0), shareOf(0, 3), shareOf(9, 3)],
    [4, 10, 10, 0, 3],
  );
});

test("each account has an equal part of the slots, and each of its lines of that", () => {
  const lines = ["a", "a", "a", "b"].map((accountId) => ({ accountId }));
  const parts = new SlotParts(lines);
  let slotsLeft = 12;
  const taken = lines.map((line) => {
    const part = parts.next(line, slotsLeft, slotsLeft);
    slotsLeft -= part;
    return part;
  });
  assert.deepEqual(taken, [2, 2, 2, 6]);
});

test("slots that a line leaves go to the next lines of its account, and of others", () => {
  const lines = ["a", "a", "b"].map((accountId) => ({ accountId }));
  const parts = new SlotParts(lines);
  assert.equal(parts.next(lines[0]!, 8, 8), 2);
  assert.equal(parts.next(lines[1]!, 8, 8), 4);
  assert.equal(parts.next(lines[2]!, 7, 7), 7);
  const few = new SlotParts(lines);
  assert.equal(few.next(lines[0]!, 1, 8), 1);
  assert.equal(few.next(lines[1]!, 8, 3), 0);
});

test("each claim begins with another account", () => {
  const names = ["a", "b", "c"];
  assert.deepEqual(startingWith(names, 0), names);
  assert.deepEqual(startingWith(names, 1), ["b", "c", "a"]);
  assert.deepEqual(startingWith(names, 5), ["c", "a", "b"]);
  assert.deepEqual(startingWith([], 5), []);
});

const named = (count: number) =>
  Array.from({ length: count }, (_, index) => `a${String(index).padStart(2, "0")}`);

test("the accounts after the last one served come first, at most 16", () => {
  assert.deepEqual(inTurn(["c", "a", "b"], "b"), {
    accountIds: ["c", "a", "b"],
    lastAccountId: "b",
    accountsDue: ["c", "a", "b"],
  });
  assert.deepEqual(inTurn([], "b"), { accountIds: [], lastAccountId: "b", accountsDue: [] });
  const { accountIds, lastAccountId } = inTurn(named(20), "a03");
  assert.equal(accountIds.length, ACCOUNTS_MAX);
  assert.deepEqual([accountIds[0], lastAccountId], ["a04", "a19"]);
});

test("accounts that were probed come first, those of the oldest lines fill the rest", () => {
  const asked = (count: number, isDue = true) =>
    named(count).map((accountId) => ({ accountId, isDue }));
  assert.deepEqual(probedInTurn(asked(2), ["z", "a01"], ""), {
    accountIds: ["a00", "a01", "z"],
    lastAccountId: "",
    accountsDue: ["a00", "a01"],
  });
  assert.equal(probedInTurn(asked(2), [], "a").accountsDue, null);
  assert.deepEqual(probedInTurn([], ["z"], ""), {
    accountIds: ["z"],
    lastAccountId: "",
    accountsDue: [],
  });
  const all = probedInTurn(asked(20), ["z"], "");
  assert.deepEqual([all.accountIds.length, all.lastAccountId], [ACCOUNTS_MAX, "a15"]);
  const none = probedInTurn(asked(HOPS_MAX, false), ["z"], "");
  assert.deepEqual(none, { accountIds: ["z"], lastAccountId: "a63", accountsDue: null });
  const fewer = probedInTurn(asked(HOPS_MAX - 1, false), [], "");
  assert.deepEqual(fewer, { accountIds: [], lastAccountId: "", accountsDue: [] });
  const many = probedInTurn(asked(1), named(40), "");
  assert.equal(many.accountIds.length, ACCOUNTS_MAX);
});
