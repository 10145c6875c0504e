/**
 * Runs the test files named in its arguments, one after another, in one process: what they import is
 * read and compiled once. After each stands a test with the name of the file, whose diagnostic tells
 * `run-test-files.ts` that all results of the file came before it, and the processor time they took.
 */
import asyncHooks from "node:async_hooks";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { processorMs } from "./processor-time.ts";

// Node's runner follows every promise, to tell which test an uncaught error came from. That takes a tenth of the
// processor time of all tests, and of some a third. Here such an error fails the file.
const { createHook } = asyncHooks;
const withoutPromises = { trackPromises: false };
Object.assign(asyncHooks, {
  createHook: (callbacks: asyncHooks.HookCallbacks) =>
    createHook({ ...callbacks, ...withoutPromises }),
});
const { after, test } = await import("node:test");
let uncaught: unknown[] = [];
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => uncaught.push(error));
}

let startedAtMs = 0;
for (const file of process.argv.slice(2)) {
  const { promise: imported, resolve: begin } = Promise.withResolvers<void>();
  // Tests that are declared while others could run would begin before the file is read to its end.
  void test(`${file} is read`, () => imported);
  try {
    await import(pathToFileURL(resolve(file)).href);
  } catch (error) {
    void test("the whole file", () => {
      throw error;
    });
  }
  begin();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  after(() => end());
  await test(file, (context) => {
    const nowMs = processorMs();
    context.diagnostic(`${file} took ${nowMs - startedAtMs}`);
    startedAtMs = nowMs;
    const errors = uncaught;
    uncaught = [];
    if (errors.length > 0) throw new AggregateError(errors, "uncaught errors");
  });
  // Whatever stands behind all tests of the process runs when none is left, so once for each file. What the
  // next file adds meanwhile would run too, and end what its tests are about to use.
  await ended;
}
