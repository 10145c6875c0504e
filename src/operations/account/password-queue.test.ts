import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { PasswordQueue } from "./password-queue.ts";

test("one password is checked at a time, those of trusted callers first", async () => {
  const queue = new PasswordQueue();
  const order: string[] = [];
  const check = (name: string) => async (): Promise<boolean> => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    return true;
  };
  await Promise.all([
    queue.run(check("one"), false),
    queue.run(check("two"), false),
    queue.run(check("trusted"), true),
  ]);
  const ended = ["one", "trusted", "two"].flatMap((name) => [`${name} begins`, `${name} ends`]);
  assert.deepEqual(order, ended);
});

test("callers of one kind are served in the order in which they came", async () => {
  const queue = new PasswordQueue();
  const order: string[] = [];
  const run = (name: string, isTrusted: boolean): Promise<boolean> =>
    queue.run(() => Promise.resolve(order.push(name) > 0), isTrusted);
  await Promise.all([
    ...["one", "two", "three"].map((name) => run(name, false)),
    ...["first", "second", "third"].map((name) => run(name, true)),
  ]);
  assert.deepEqual(order, ["one", "first", "second", "third", "two", "three"]);
});

test("a queue that was empty checks what comes later", async () => {
  const queue = new PasswordQueue();
  const checked: string[] = [];
  const run = (name: string): Promise<boolean> =>
    queue.run(() => Promise.resolve(checked.push(name) > 0), false);
  await run("one");
  await turn();
  void run("another");
  assert.deepEqual(checked, ["one", "another"]);
});

test("the queue is bounded, and others leave trusted callers their slots", async () => {
  const queue = new PasswordQueue();
  const waiting = Array.from({ length: 17 }, () => queue.run(() => Promise.resolve(false), false));
  assert.throws(() => queue.run(() => Promise.resolve(false), false), /too many sign in/);
  assert.equal(await queue.run(() => Promise.resolve(true), true), true);
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([false]));
});

test("a check that fails ends itself alone", async () => {
  const queue = new PasswordQueue();
  const broken = queue.run(() => Promise.reject(new Error("no thread")), true);
  const sound = queue.run(() => Promise.resolve(true), true);
  await assert.rejects(broken, /no thread/);
  assert.equal(await sound, true);
});
