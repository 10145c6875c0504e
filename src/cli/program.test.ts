import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "./command-error.ts";
import { buildProgram, withHelp } from "./program.ts";

const program = buildProgram({
  version: "0",
  run: () => Promise.resolve(),
  addSettings: () => undefined,
});

test("help of a command of two words is that of both", () => {
  assert.deepEqual(withHelp(program, ["help", "dlq", "retry"]), ["dlq", "retry", "--help"]);
  assert.deepEqual(withHelp(program, ["help", "dlq"]), ["dlq", "--help"]);
  assert.deepEqual(withHelp(program, ["help", "status"]), ["status", "--help"]);
  for (const words of [["help"], ["help", "--help"], [], ["dlq", "help", "retry"], ["status"]]) {
    assert.deepEqual(withHelp(program, words), words);
  }
});

test("help of a command that is not there names it, and the nearest one", () => {
  for (const [words, sentence, hint] of [
    [["statsu"], "unknown command 'statsu'", "did you mean status?"],
    [["dlq", "retyr"], "unknown command 'dlq retyr'", "did you mean retry?"],
    [["status", "now"], "unknown command 'status now'", "postrider help lists them"],
    [["frobnicate"], "unknown command 'frobnicate'", "postrider help lists them"],
  ] as const) {
    const isRefused = (error: unknown): boolean =>
      error instanceof CommandError && error.message === sentence && error.hint === hint;
    assert.throws(() => withHelp(program, ["help", ...words]), isRefused, sentence);
  }
});
