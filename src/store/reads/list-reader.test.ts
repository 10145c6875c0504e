import assert from "node:assert/strict";
import { test } from "node:test";
import { ListTurns } from "./list-reader.ts";

test("accounts take turns, however many reads one of them has waiting", async () => {
  const turns = new ListTurns(1);
  const order: string[] = [];
  const read = (name: string) => (): Promise<void> => {
    order.push(name);
    return Promise.resolve();
  };
  const many = ["a1", "a2", "a3", "a4"].map((name) => turns.take("a", read(name)));
  const few = ["b1", "b2"].map((name) => turns.take("b", read(name)));
  await Promise.all([...many, ...few]);
  assert.deepEqual(order, ["a1", "a2", "b1", "a3", "b2", "a4"]);
});

test("no more reads are under way than allowed, and a failed one passes its turn on", async () => {
  const turns = new ListTurns(2);
  let underWay = 0;
  let most = 0;
  const read = async (): Promise<void> => {
    most = Math.max(most, ++underWay);
    await Promise.resolve();
    underWay -= 1;
    throw new Error("failed");
  };
  const reads = Array.from({ length: 7 }, (_, index) => turns.take(`account-${index % 3}`, read));
  const ends = await Promise.allSettled(reads);
  assert.equal(ends.filter(({ status }) => status === "rejected").length, 7);
  assert.equal(most, 2);
});
