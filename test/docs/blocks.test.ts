import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blocksOf,
  CONFIGURATION_LANGUAGES,
  PAGES,
  lineOf,
  readBlocks,
  RUN_LANGUAGES,
  SHOWN_LANGUAGES,
} from "./blocks.ts";

/** Blocks that a test machine cannot run: two of Go and PHP, four of nginx, HAProxy, systemd and Prometheus, two of Docker, two of PostgreSQL's tools, five that install a package, two that do not end. */
const NOT_RUN_COUNT = 18;

const blocks = readBlocks(...PAGES);

test("every block has a language that is run or shown", () => {
  assert.ok(blocks.length > 40);
  const known = [...RUN_LANGUAGES, ...SHOWN_LANGUAGES, ...CONFIGURATION_LANGUAGES];
  const unknown = blocks.filter(({ language }) => !known.includes(language));
  assert.deepEqual(unknown.map(lineOf), []);
});

test("every block of a language that is run has a test, or says why not", () => {
  const untried = blocks.filter(
    ({ language, example, notRun }) =>
      (RUN_LANGUAGES.includes(language) || CONFIGURATION_LANGUAGES.includes(language)) &&
      language !== "sh" &&
      example === undefined &&
      notRun === undefined,
  );
  assert.deepEqual(untried.map(lineOf), []);
});

test(`${NOT_RUN_COUNT} blocks are not run`, () => {
  const notRun = blocks.filter((block) => block.notRun !== undefined);
  assert.equal(
    notRun.length,
    NOT_RUN_COUNT,
    notRun.map((block) => `${lineOf(block)}: ${block.notRun}`).join("\n"),
  );
});

test("JSON that is shown can be read", () => {
  const shown = blocks.filter(({ language }) => language === "json");
  assert.ok(shown.length > 0);
  for (const block of shown) {
    assert.doesNotThrow(() => JSON.parse(block.code) as unknown, lineOf(block));
  }
});

test("marks, lines and indents are read", () => {
  const page = "# A\n\n<!-- not run: no Go -->\n\n```go\nx\n```\n\n- item\n\n  ```sh\n  y\n  ```\n";
  assert.deepEqual(
    blocksOf("a.md", page).map(({ line, language, code, notRun }) => [
      line,
      language,
      code,
      notRun,
    ]),
    [
      [5, "go", "x\n", "no Go"],
      [11, "sh", "y\n", undefined],
    ],
  );
});
