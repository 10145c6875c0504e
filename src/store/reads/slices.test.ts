import assert from "node:assert/strict";
import { test } from "node:test";
import { PageBuilder, readPage, type Slice, type SliceRequest } from "./slices.ts";

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

/** Reads a store of so many rows, of which every `nth` is an item, and notes how many each part may read. */
function pageOf(rows: number, nth: number, count: number) {
  const asked: number[] = [];
  const read = (request: SliceRequest): Promise<Slice<number>> => {
    asked.push(request.rowsMax);
    const builder = new PageBuilder<number>(request);
    const start = Number(request.after ?? 0) + 1;
    const end = Math.min(rows, start + request.rowsMax - 1);
    for (let row = start; row <= end; row++) {
      const item = row % nth === 0 ? { bytes: 1, read: () => row } : null;
      if (!builder.offer(String(row), () => item)) break;
    }
    return Promise.resolve(end < rows ? builder.finishEarly() : builder.finish());
  };
  const page = readPage({ after: null, count, order: "latestFirst" }, read);
  return page.then(({ items, next }) => ({ items, next, asked }));
}

test("a long page is read in parts, so that no turn is long", async () => {
  const { items, next, asked } = await pageOf(5_000, 1, 1_000);
  assert.deepEqual(items, numbered(1_000));
  assert.equal(next, "1000");
  // The last one tells whether there are more.
  assert.deepEqual(asked, [200, 200, 200, 200, 200, 1]);
  const whole = await pageOf(450, 1, 1_000);
  assert.deepEqual([whole.items, whole.next], [numbered(450), null]);
});

test("where few rows are items, the parts grow", async () => {
  const { items, asked } = await pageOf(10_000, 500, 10);
  assert.deepEqual(
    items,
    numbered(10).map((index) => 500 * index),
  );
  assert.deepEqual(asked.slice(0, 5), [11, 44, 176, 704, 1_000]);
});

function numbered(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

test("a part that is too small to come to the next position grows until it does", async () => {
  const asked: number[] = [];
  const read = ({ after, rowsMax }: SliceRequest): Promise<Slice<string>> => {
    asked.push(rowsMax);
    const stays = { items: [], last: after, rowsRead: 0, bytes: 0, missingBytes: 0 };
    if (rowsMax < 300) return Promise.resolve({ ...stays, end: "rows" });
    return Promise.resolve({ ...stays, items: ["found"], rowsRead: 1, end: "no more rows" });
  };
  const { items } = await readPage({ after: "1", count: 5, order: "latestFirst" }, read);
  assert.deepEqual([items, asked], [["found"], [6, 24, 96, 384]]);
});
