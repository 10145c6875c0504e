import assert from "node:assert/strict";
import { test } from "node:test";
import { PageBuilder } from "./slices.ts";

function builderOf(count: number): PageBuilder<string> {
  return new PageBuilder({ after: null, count, rowsMax: 10, bytesMax: 100 });
}

const offerRows = (builder: PageBuilder<string>, rows: number): void => {
  for (let row = 1; row <= rows; row++) {
    if (!builder.offer(String(row), () => ({ bytes: 1, read: () => `row ${row}` }))) return;
  }
};

test("a full page needs no more rows, even where there are more", () => {
  const builder = builderOf(2);
  offerRows(builder, 3);
  const { items, end, last } = builder.finishEarly();
  assert.deepEqual([items, end, last], [["row 1", "row 2"], "page full", "2"]);
});

test("a page that is not full goes on where there are more rows", () => {
  const builder = builderOf(5);
  offerRows(builder, 3);
  assert.equal(builder.finishEarly().end, "rows");
  assert.equal(builderOf(5).finish().end, "no more rows");
});
