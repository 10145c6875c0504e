import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { Problem } from "../../core/problem.ts";
import { SignInGuard } from "./sign-in-guard.ts";

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
