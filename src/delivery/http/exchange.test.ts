import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../../test/support/manual-clock.ts";
import { type Budget, SMALL_BYTES } from "../../platform/budget.ts";
import { ABORTED } from "../courier.ts";
import { createAnswerBudget, Exchange } from "./exchange.ts";
import { DeliveryError } from "./network-error.ts";

const REQUEST = { method: "POST", path: "/", headers: [], body: null };
const MB = 1024 * 1024;

function exchange(bodyBytesMax = 10, given?: Budget) {
  const clock = new ManualClock();
  const budget = given ?? createAnswerBudget(clock, MB);
  const calls: string[] = [];
  const carrier = { withdraw: () => calls.push("withdrawn") };
  const room = { bodyBytesMax, answerBudget: budget, owner: "account" };
  const opened = new Exchange(REQUEST, carrier, room);
  opened.watch(clock, 5_000);
  const start = (): Exchange => {
    opened.onStart({
      pause: () => calls.push("paused"),
      resume: () => calls.push("resumed"),
      abort: () => calls.push("closed"),
    });
    return opened;
  };
  return { exchange: opened, start, clock, budget, calls };
}

async function outcomeOf({ outcome }: Exchange): Promise<object> {
  const { ...fields } = await outcome;
  return fields.kind === "answer"
    ? { ...fields, body: Buffer.from(fields.body).toString() }
    : fields;
}

const tooLate = {
  kind: "no-answer",
  error: "no complete answer within 5 s, the timeout of the message",
  final: false,
};

test("an answer is its status, its headers and its body", async () => {
  const { start, budget, calls, clock } = exchange();
  const started = start();
  started.onHead(103, [["Link", "x"]], 0);
  started.onHead(200, [["X", "1"]], 0);
  started.onData(Buffer.from("he"));
  started.onData(Buffer.from("llo"));
  assert.ok(!started.isSettled);
  started.onEnd();
  assert.ok(started.isSettled);
  const expected = { kind: "answer", status: 200, headers: [["X", "1"]], body: "hello" };
  assert.deepEqual(await outcomeOf(started), expected);
  assert.ok(budget.held > 0, "its memory is held until its outcome is stored");
  started.release();
  assert.equal(budget.held, 0);
  assert.deepEqual(calls, []);
  assert.equal(clock.alarmCount, 0, "no timer waits for its deadline");
});

test("an answer that goes beyond the memory is ended when it is slow and others wait", async () => {
  const clock = new ManualClock();
  const answerBudget = createAnswerBudget(clock, MB);
  answerBudget.open("other").grow(MB);
  const slow = new Exchange(
    REQUEST,
    { withdraw: () => assert.fail("it waits for no connection") },
    { bodyBytesMax: MB, answerBudget, owner: "one" },
  );
  const calls: string[] = [];
  const call = (name: string) => (): void => void calls.push(name);
  slow.onStart({ pause: call("paused"), resume: call("resumed"), abort: call("closed") });
  slow.onHead(200, [], 0);
  slow.onData(Buffer.alloc(2 * SMALL_BYTES));
  const next = answerBudget.open("next");
  next.wait(MB).catch(() => undefined);
  clock.advance(14_999);
  assert.ok(!slow.isSettled);
  clock.advance(1);
  const error = "the answer came too slowly while memory was short";
  assert.deepEqual(await outcomeOf(slow), { kind: "no-answer", error, final: false });
  assert.equal(calls.at(-1), "closed");
});

test("a request that still waits at its deadline is taken back", async () => {
  const { exchange: waiting, clock, calls } = exchange();
  clock.advance(4_999);
  assert.ok(!waiting.isSettled);
  clock.advance(1);
  assert.deepEqual(await outcomeOf(waiting), tooLate);
  assert.deepEqual(calls, ["withdrawn"]);
});

test("an answer that is not whole at the deadline is none, and gives its memory back", async () => {
  const { start, clock, budget, calls } = exchange();
  const started = start();
  started.onHead(200, [], 0);
  started.onData(Buffer.from("he"));
  clock.advance(5_000);
  assert.deepEqual(await outcomeOf(started), tooLate);
  assert.deepEqual(calls, ["closed"]);
  assert.equal(budget.held, 0);
});

test("what comes after the outcome changes nothing", async () => {
  const { start, clock, calls } = exchange();
  const started = start();
  started.onHead(204, [], 0);
  started.onEnd();
  clock.advance(5_000);
  started.abort();
  started.onData(Buffer.from("more"));
  started.onFailure(new Error("reset"));
  assert.deepEqual(await outcomeOf(started), {
    kind: "answer",
    status: 204,
    headers: [],
    body: "",
  });
  assert.deepEqual(calls, []);
});

test("a body that breaks off is marked, unless this service has ended the call", async () => {
  const broken = exchange().start();
  broken.onHead(200, [], 0);
  broken.onData(Buffer.from("he"));
  broken.onFailure(Object.assign(new Error(), { code: "ECONNRESET" }));
  assert.deepEqual(await outcomeOf(broken), {
    kind: "answer",
    status: 200,
    headers: [],
    body: "he",
    cut: "broken",
  });
  const ended = exchange().start();
  ended.onHead(200, [], 0);
  ended.onFailure(new DeliveryError(ABORTED));
  assert.deepEqual(await outcomeOf(ended), { kind: "no-answer", error: ABORTED, final: false });
  const early = exchange().start();
  early.onHead(100, [], 0);
  early.onFailure(Object.assign(new Error(), { code: "ECONNRESET" }));
  const reset = { kind: "no-answer", error: "connection reset", final: false };
  assert.deepEqual(await outcomeOf(early), reset);
});

test("a body past the limit is cut there, and its connection closed", async () => {
  const whole = exchange(5).start();
  whole.onHead(200, [], 0);
  whole.onData(Buffer.from("hello"));
  assert.ok(!whole.isSettled);
  const { start, calls } = exchange(5);
  const cut = start();
  cut.onHead(500, [], 0);
  cut.onData(Buffer.from("hello!"));
  assert.deepEqual(await outcomeOf(cut), {
    kind: "answer",
    status: 500,
    headers: [],
    body: "hello",
    cut: "limit",
  });
  assert.deepEqual(calls, ["closed"]);
});

test("32 interim answers are passed over, and not one more", async () => {
  const { start } = exchange();
  const started = start();
  for (let count = 0; count < 32; count++) started.onHead(100, [], 0);
  assert.ok(!started.isSettled);
  started.onHead(199, [], 0);
  assert.deepEqual(await outcomeOf(started), {
    kind: "no-answer",
    error: "too many interim answers",
    final: false,
  });
});

test("without memory an answer waits, and goes on when there is some", async () => {
  const clock = new ManualClock();
  const budget = createAnswerBudget(clock, MB);
  const first = budget.open("first");
  await first.wait(2 * MB);
  const second = budget.open("second");
  assert.ok(second.grow(MB));
  const { start, calls } = exchange(4 * MB, budget);
  const started = start();
  started.onHead(200, [], 0);
  const piece = Buffer.alloc(MB, "a");
  started.onData(piece);
  assert.deepEqual(calls, ["paused"]);
  // The bytes are those of a buffer that all connections share.
  piece.fill("b");
  second.release();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(calls, ["paused", "resumed"]);
  started.onEnd();
  const outcome = await started.outcome;
  assert.ok(outcome.kind === "answer" && outcome.body.length === MB);
  assert.ok(outcome.body.every((byte) => byte === 97));
});

test("answers have 64 MB, and small ones 16 MB more", () => {
  const budget = createAnswerBudget(new ManualClock());
  const large = (bytes: number): boolean => budget.open("owner").grow(bytes);
  assert.ok(large(63 * MB));
  assert.ok(!large(MB + 1));
  assert.ok(large(MB));
  const smallOnes = (16 * MB) / SMALL_BYTES;
  for (let count = 0; count < smallOnes; count++) {
    assert.ok(budget.open("owner").grow(SMALL_BYTES));
  }
  assert.ok(!budget.open("owner").grow(1));
});

test("an answer that goes beyond it is given up after 15 seconds, if others wait", async () => {
  const clock = new ManualClock();
  const budget = createAnswerBudget(clock, MB);
  assert.ok(budget.open("a").grow(MB));
  let expired = 0;
  await budget.open("b", () => (expired += 1)).wait(MB);
  void budget.open("c").wait(MB);
  clock.advance(14_999);
  assert.equal(expired, 0);
  clock.advance(1);
  assert.equal(expired, 1);
});

test("4,096 answers wait for as long as a delivery may take, and no more of them", async () => {
  const clock = new ManualClock();
  const budget = createAnswerBudget(clock, MB);
  const first = budget.open("first");
  await first.wait(2 * MB);
  assert.ok(budget.open("second").grow(MB));
  const ends = Array.from({ length: 4_096 }, () => budget.open("owner").wait(MB));
  await assert.rejects(budget.open("owner").wait(MB), /no memory/);
  assert.equal(budget.waiting, 4_096);
  clock.advance(86_399_999);
  assert.equal(budget.waiting, 4_096);
  clock.advance(1);
  const results = await Promise.allSettled(ends);
  assert.ok(results.every(({ status }) => status === "rejected"));
});
