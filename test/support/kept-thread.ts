/** The main file of a thread that serves one store after another, as writer or as reader. */
import { type Methods, serveThread } from "../../src/platform/thread.ts";
import { openReader } from "../../src/store/sqlite/thread/connection.ts";
import { readingMethods } from "../../src/store/sqlite/thread/reading-methods.ts";
import { SqliteWriter } from "../../src/store/sqlite/thread/writer.ts";

serveThread((role) => {
  let methods: Methods = {};
  return {
    open: (path: string) => {
      methods =
        role === "writer"
          ? (new SqliteWriter(path) as object as Methods)
          : readingMethods(openReader(path));
    },
    call: (method: string, ...args: never[]) => methods[method]!(...args),
  };
});
