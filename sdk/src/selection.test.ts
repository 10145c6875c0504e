import assert from "node:assert/strict";
import { test } from "node:test";
import { Page } from "./page.ts";
import { selectionQuery, selectsNothing } from "./selection.ts";

const NAMES = { label: true } as const;

test("selects by id, by ids, by filter, or all", () => {
  assert.deepEqual(selectionQuery("a", "dlqIds", NAMES), { dlqIds: ["a"] });
  assert.deepEqual(selectionQuery(["a", "b"], "dlqIds", NAMES), { dlqIds: ["a", "b"] });
  assert.deepEqual(selectionQuery({ all: true }, "dlqIds", NAMES), {});
  assert.deepEqual(selectionQuery({ all: true, cursor: "5" }, "dlqIds", NAMES), { cursor: "5" });
  assert.deepEqual(selectionQuery({ filter: { label: "x" }, count: 5 }, "dlqIds", NAMES), {
    label: "x",
    count: 5,
    cursor: undefined,
  });
});

test("an empty filter does not mean all, and an empty list means none", () => {
  assert.throws(() => selectionQuery({ filter: {} }, "dlqIds", NAMES), /all: true/);
  assert.throws(
    () => selectionQuery({ filter: { label: undefined } }, "dlqIds", NAMES),
    /all: true/,
  );
  for (const odd of [{ all: false }, { all: false, cuont: 1 }, { filter: { lable: "x" } }, {}]) {
    assert.throws(() => selectionQuery(odd as { all: true }, "dlqIds", NAMES), /option/);
  }
  assert.equal(selectsNothing([]), true);
  assert.equal(selectsNothing(["a"]), false);
  assert.equal(selectsNothing("a"), false);
});

test("a loop over a page goes on over the pages after it", async () => {
  const pages = [["a", "b"], [], ["c"]];
  const page = (n: number): Page<string> =>
    new Page(pages[n]!, n < 2 ? String(n + 1) : "", (cursor) =>
      Promise.resolve(page(Number(cursor))),
    );
  const seen: string[] = [];
  for await (const item of page(0)) seen.push(item);
  assert.deepEqual(seen, ["a", "b", "c"]);
  assert.equal(page(0).cursor, "1");
  assert.equal(page(2).cursor, undefined);
});
