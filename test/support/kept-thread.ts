/** The main file of a thread that serves one store after another, as writer or as reader. */
import { serveThread } from "../../src/platform/thread.ts";
import { openReader } from "../../src/store/sqlite/thread/connection.ts";
import { readingMethods } from "../../src/store/sqlite/thread/reading-methods.ts";
import { writingMethods } from "../../src/store/sqlite/thread/writing-methods.ts";

type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

serveThread((role) => {
  let methods: Methods = {};
  return {
    open: (path: string) => {
      methods = role === "writer" ? writingMethods(path) : readingMethods(openReader(path));
    },
    call: (method: string, ...args: never[]) => methods[method]!(...args),
  };
});
