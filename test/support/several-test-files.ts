/**
 * Runs the test files named in its arguments, one after another, in one process: what they import is
 * read and compiled once. After each stands a test with the name of the file, by which
 * `run-test-files.ts` knows whose results came before it.
 */
import { resolve } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

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
  await test(file, () => undefined);
}
