import assert from "node:assert/strict";
import { test } from "node:test";
import { edgesOf, importsIn, withoutComments } from "./sources.ts";

test("every way to import is seen", () => {
  const code = `
    import one from "./one.ts";
    import {
      two,
    } from "./two.ts";
    import type { Three } from "./three.ts";
    import "./four.ts";
    export * from './five.ts';
    export type { Six } from "./six.ts";
    const seven = await import("./seven.ts");
    let eight: import("./eight.ts").Eight;
    new Worker(new URL("./nine.ts", import.meta.url));
    const page = new URL("./not-code.html", import.meta.url);
  `;
  const names = ["one", "two", "three", "five", "six", "four", "seven", "eight", "nine"];
  assert.deepEqual(
    importsIn(code),
    names.map((name) => `./${name}.ts`),
  );
});

test("lines of comment are not code", () => {
  const text = `
    // import { one } from "./one.ts";
    /** Date.now is read elsewhere.
     * import "./two.ts";
     */
    const url = "https://example.com"; // kept
  `;
  assert.deepEqual(withoutComments(text).match(/\S+/g), [
    "const",
    "url",
    "=",
    '"https://example.com";',
    "//",
    "kept",
  ]);
});

test("edges are paths from the root", () => {
  const imports = ["./sources.ts", "../run.ts", "node:test"];
  const edges = edgesOf([{ path: "test/house/here.ts", text: "", code: "", imports }]);
  assert.deepEqual(edges, [
    { from: "test/house/here.ts", to: "test/house/sources.ts" },
    { from: "test/house/here.ts", to: "test/run.ts" },
  ]);
});
