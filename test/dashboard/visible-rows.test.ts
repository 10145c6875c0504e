/** Which rows of a long table are in the document: all that can be seen, wherever the page is scrolled to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardModule, UsedHook } from "../support/dashboard-modules.ts";
import { StubWindow } from "../support/stub-window.ts";

interface VisibleRows {
  readonly start: number;
  readonly end: number;
  readonly beforePx: number;
  readonly afterPx: number;
  readonly show: (index: number) => void;
}

const stub = Object.assign(new StubWindow(), { innerHeight: 800 });
const { useVisibleRows } = await dashboardModule<{
  useVisibleRows: (body: { current: object | null }, count: number) => VisibleRows;
}>("parts/visible-rows.ts");

const ROW_PX = 40;
/** Above the table is a heading. */
const TABLE_TOP_PX = 200;

let shownRow = -1;
const body: { current: object | null } = {
  current: {
    querySelector: () => ({ offsetHeight: ROW_PX }),
    querySelectorAll: () =>
      Array.from({ length: used.value.end - used.value.start }, (_, index) => ({
        scrollIntoView: () => (shownRow = used.value.start + index),
      })),
    getBoundingClientRect: () => ({ top: TABLE_TOP_PX - stub.scrollY }),
  },
};
let used: UsedHook<[{ current: object | null }, number], VisibleRows>;

test("a short table is there as a whole", async () => {
  await show(299);
  const { start, end, beforePx, afterPx } = used.value;
  assert.deepEqual([start, end, beforePx, afterPx], [0, 299, 0, 0]);
  await used.leave();
});

test("of a long one what can be seen is there, in a height that stays the same", async () => {
  const count = 20_000;
  await show(count);
  const bottom = TABLE_TOP_PX + count * ROW_PX - stub.innerHeight;
  for (const scrollY of [0, 150, 1_000, 1_399, 40_000, 500_000, bottom, bottom - 3_000, 5, 0]) {
    await scroll(scrollY);
    const { start, end, beforePx, afterPx } = used.value;
    assert.ok(start >= 0 && end <= count && end - start < 100, `${start} to ${end}`);
    assert.ok(TABLE_TOP_PX + beforePx <= Math.max(scrollY, TABLE_TOP_PX), `above ${scrollY}`);
    const seenPx = Math.min(scrollY + stub.innerHeight, TABLE_TOP_PX + count * ROW_PX);
    assert.ok(TABLE_TOP_PX + end * ROW_PX >= seenPx, `below ${scrollY}`);
    assert.equal(beforePx + (end - start) * ROW_PX + afterPx, count * ROW_PX);
  }
  await used.leave();
});

test("a row is scrolled to, also one that is not in the document", async () => {
  await show(20_000);
  await scroll(0);
  used.value.show(7);
  assert.deepEqual([shownRow, stub.scrollY], [7, 0]);
  used.value.show(9_000);
  stub.dispatchEvent(new Event("scroll"));
  await settled();
  assert.ok(used.value.start <= 9_000 && used.value.end > 9_000);
  const rowTopPx = TABLE_TOP_PX + 9_000 * ROW_PX;
  assert.ok(rowTopPx > stub.scrollY && rowTopPx < stub.scrollY + stub.innerHeight);
  await used.leave();
});

async function show(count: number): Promise<void> {
  used = new UsedHook(useVisibleRows, body, count);
  await settled();
}

async function scroll(y: number): Promise<void> {
  stub.scrollTo(0, y);
  stub.dispatchEvent(new Event("scroll"));
  await settled();
}

async function settled(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise(setImmediate);
}
