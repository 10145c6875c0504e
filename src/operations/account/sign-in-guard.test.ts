import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Problem } from "../../core/problem.ts";
import { SignInGuard, FailedLogins, PasswordQueue } from "./sign-in-guard.ts";
import { setImmediate as turn } from "node:timers/promises";

const NAME = "ann@example.com";
const OTHER_NAME = "bob@example.com";
const HOME = "192.0.2.1";
const CLEAN_AFTER_MS = 3_600_000;

function open() {
  const clock = new ManualClock();
  const guard = new SignInGuard(clock);
  /** Whether a try is admitted to the check of its password, which fails. */
  const fails = (name: string, address: string): boolean => {
    const signIn = begin(guard, name, address);
    signIn?.failed();
    return signIn !== null;
  };
  const signsIn = (name: string, address: string): void => {
    begin(guard, name, address)!.succeeded();
  };
  /** Uses up the tries of a name that addresses with failures share. */
  const exhaust = (name: string): void => {
    for (const address of STRANGERS) fails(name, address);
    for (const address of STRANGERS) fails(name, address);
    assert.equal(fails(name, STRANGERS[0]!), false);
  };
  return { clock, guard, fails, signsIn, exhaust };
}

function begin(guard: SignInGuard, name: string, address: string) {
  try {
    return guard.begin(name, address);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    assert.equal(error.status, 429);
    return null;
  }
}

const addressOf = (number: number): string =>
  `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

const STRANGERS = Array.from({ length: 60 }, (_, number) => `198.51.100.${number}`);

test("a good sign-in lifts the limit of the name for its own address alone", () => {
  const { fails, signsIn, exhaust } = open();
  exhaust(NAME);
  signsIn(NAME, HOME);
  for (const stranger of STRANGERS) assert.equal(fails(NAME, stranger), false, stranger);
  assert.equal(fails(NAME, HOME), true);
  assert.equal(fails(NAME, HOME), true, "although it has failed, too");
});

test("a good sign-in lifts the limit of its own name alone", () => {
  const { fails, signsIn, exhaust } = open();
  exhaust(OTHER_NAME);
  signsIn(NAME, HOME);
  assert.equal(fails(NAME, HOME), true);
  assert.equal(fails(OTHER_NAME, HOME), false);
});

test("a good sign-in gives back its own try, and forgives no failure", () => {
  const { fails, signsIn } = open();
  for (let tried = 0; tried < 9; tried++) assert.equal(fails(NAME, HOME), true);
  signsIn(NAME, HOME);
  assert.equal(fails(NAME, HOME), true, "the tenth");
  assert.equal(fails(NAME, HOME), false, "the eleventh");
});

test("an address has a try more every six seconds", () => {
  const { clock, fails } = open();
  for (let tried = 0; tried < 10; tried++) assert.equal(fails(`name-${tried}`, HOME), true);
  assert.equal(fails(NAME, HOME), false);
  clock.advance(5_999);
  assert.equal(fails(NAME, HOME), false);
  clock.advance(1);
  assert.equal(fails(NAME, HOME), true);
  assert.equal(fails(NAME, HOME), false);
});

test("a try that was not checked gives back that of the address and that of the name", () => {
  const { guard, fails } = open();
  for (let tried = 0; tried < 1_000; tried++) begin(guard, NAME, HOME)!.withdraw();
  for (let tried = 0; tried < 10; tried++) assert.equal(fails(NAME, HOME), true);
  assert.equal(fails(NAME, HOME), false);
});

test("an address is trusted until it fails, and again after an hour without a failure", () => {
  const { clock, guard, fails, signsIn } = open();
  const isTrusted = (address = HOME): boolean => {
    const signIn = guard.begin(NAME, address);
    signIn.withdraw();
    return signIn.isTrusted;
  };
  assert.equal(isTrusted(), true);
  fails(NAME, HOME);
  assert.equal(isTrusted(), false);
  clock.advance(CLEAN_AFTER_MS / 2);
  fails(OTHER_NAME, HOME);
  clock.advance(CLEAN_AFTER_MS - 1);
  assert.equal(isTrusted(), false, "counted from its last failure");
  clock.advance(1);
  assert.equal(isTrusted(), true);
  fails(NAME, HOME);
  signsIn(NAME, HOME);
  assert.equal(isTrusted(), true, "it has signed in under the name");
  assert.equal(isTrusted(STRANGERS[0]), true);
});

test("only the oldest of very many failures is forgotten", () => {
  const { guard, fails } = open();
  for (let number = 0; number <= 10_000; number++) fails(String(number), addressOf(number));
  assert.equal(guard.begin(NAME, addressOf(0)).isTrusted, true);
  assert.equal(guard.begin(NAME, addressOf(1)).isTrusted, false);
});

test("the address that has failed again last is forgotten last", () => {
  const { guard, fails } = open();
  for (let number = 0; number < 10_000; number++) fails(String(number), addressOf(number));
  fails("again", addressOf(0));
  fails("one more", addressOf(10_000));
  assert.equal(guard.begin(NAME, addressOf(0)).isTrusted, false);
  assert.equal(guard.begin(NAME, addressOf(1)).isTrusted, true);
});

test("of very many good sign-ins the one that is longest ago is forgotten", () => {
  const { guard, fails, signsIn } = open();
  for (let number = 0; number < 10_000; number++) signsIn(NAME, addressOf(number));
  signsIn(NAME, addressOf(0));
  signsIn(NAME, addressOf(10_000));
  for (const number of [0, 1, 2]) fails(OTHER_NAME, addressOf(number));
  const isTrusted = (number: number) => guard.begin(NAME, addressOf(number)).isTrusted;
  assert.deepEqual([isTrusted(0), isTrusted(1), isTrusted(2)], [true, false, true]);
});

function threeTries() {
  const clock = new ManualClock();
  return { clock, failed: new FailedLogins({ clock, burst: 3, refillMs: 6_000 }) };
}

test("after some failures in a row the next is told when to come back", () => {
  const { clock, failed } = threeTries();
  for (let time = 0; time < 3; time++) failed.spend("a");
  assert.throws(
    () => failed.spend("a"),
    (error) => error instanceof Problem && error.status === 429 && error.retryAfterSeconds === 6,
  );
  failed.spend("b");
  clock.advance(5_999);
  assert.throws(() => failed.spend("a"));
  clock.advance(1);
  failed.spend("a");
  assert.throws(() => failed.spend("a"));
});

test("what went well is not counted", () => {
  const { failed } = threeTries();
  for (let time = 0; time < 10; time++) {
    failed.spend("a");
    failed.giveBack("a");
  }
});

test("names without end take no memory without end", () => {
  const { failed } = threeTries();
  for (let time = 0; time < 3; time++) failed.spend("first");
  for (let number = 0; number < 20_000; number++) failed.spend(`name-${number}`);
  failed.spend("first");
});

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
