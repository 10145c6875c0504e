/** A list whose filter leaves nothing of a page is read on. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { type ListPage, searchPages } from "../../dashboard/src/app/search-pages.ts";

/** A list of so many pages, of which only the last has a row. */
function listOf(pages: number): (cursor: string | null) => Promise<ListPage<string>> {
  return (cursor) => {
    const at = Number(cursor ?? 0);
    const isLast = at === pages - 1;
    return Promise.resolve({
      rows: isLast ? ["found"] : [],
      cursor: isLast ? null : String(at + 1),
    });
  };
}

test("empty pages are passed over until one has a row", async () => {
  assert.deepEqual(await searchPages(null, listOf(5)), { rows: ["found"], cursor: null });
  assert.deepEqual(await searchPages("4", listOf(5)), { rows: ["found"], cursor: null });
});

test("a search that finds nothing ends, and can be continued", async () => {
  const first = await searchPages(null, listOf(9));
  assert.deepEqual(first, { rows: [], cursor: "5" });
  assert.deepEqual(await searchPages(first.cursor, listOf(9)), { rows: ["found"], cursor: null });
});

test("a page with rows is enough, and so is the end of the list", async () => {
  for (const page of [
    { rows: ["found"], cursor: "1" },
    { rows: [], cursor: null },
  ]) {
    const read: (string | null)[] = [];
    const loadPage = (cursor: string | null): Promise<ListPage<string>> => {
      read.push(cursor);
      return Promise.resolve(page);
    };
    assert.equal(await searchPages("0", loadPage), page);
    assert.deepEqual(read, ["0"]);
  }
});
