import assert from "node:assert/strict";
import { test } from "node:test";

import { ManualClock } from "../../test/support/manual-clock.ts";
import { BatchLoader } from "./batch-loader.ts";

test("what is asked while a question is under way is one question", async () => {
  const questions: (readonly string[])[] = [];
  const together = new BatchLoader(async (keys) => {
    questions.push(keys);
    return keys.map((key) => key.toUpperCase());
  }, new ManualClock());
  const answers = await Promise.all(["a", "b", "c"].map((key) => together.ask(key)));
  assert.deepEqual(answers, ["A", "B", "C"]);
  assert.deepEqual(questions, [["a"], ["b", "c"]]);
  assert.equal(await together.ask("d"), "D");
});

test("a question is about so many only, and one that fails is theirs who asked it", async () => {
  let questions = 0;
  const together = new BatchLoader(async (keys) => {
    questions += 1;
    if (keys.includes("7")) throw new Error("away");
    return keys;
  }, new ManualClock());
  const keys = Array.from({ length: 1_000 }, (_, index) => String(index));
  const answers = await Promise.allSettled(keys.map((key) => together.ask(key)));
  assert.equal(questions, 3);
  const failed = answers.filter(({ status }) => status === "rejected");
  assert.equal(failed.length, 500);
  assert.equal(answers[0]?.status, "fulfilled");
  assert.equal(answers[999]?.status, "fulfilled");
});

test("a question that gets no answer holds up the others for half a second at most", async () => {
  const clock = new ManualClock();
  const questions: (readonly string[])[] = [];
  const together = new BatchLoader((keys): Promise<readonly string[]> => {
    questions.push(keys);
    return keys.includes("silent") ? new Promise(() => {}) : Promise.resolve(keys);
  }, clock);
  void together.ask("silent");
  const answers = ["a", "b"].map((key) => together.ask(key));
  assert.deepEqual(questions, [["silent"]]);
  clock.advance(500);
  assert.deepEqual(await Promise.all(answers), ["a", "b"]);
  assert.equal(await together.ask("c"), "c");
  assert.deepEqual(questions, [["silent"], ["a", "b"], ["c"]]);
});

test("silent questions are bounded", async () => {
  const clock = new ManualClock();
  let questions = 0;
  const together = new BatchLoader((): Promise<readonly string[]> => {
    questions += 1;
    return new Promise(() => {});
  }, clock);
  for (let count = 0; count < 20; count++) {
    void together.ask(String(count));
    clock.advance(500);
  }
  assert.equal(questions, 8);
});
