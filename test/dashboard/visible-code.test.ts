/** Which rows of a long body are in the document: all that can be seen, wherever it is scrolled to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardModule, UsedHook } from "../support/dashboard-modules.ts";

interface VisibleCode {
  readonly start: number;
  readonly end: number;
  readonly beforePx: number;
  readonly afterPx: number;
  readonly look: () => void;
}

const { useVisibleCode } = await dashboardModule<{
  useVisibleCode: (element: { current: { scrollTop: number } }, count: number) => VisibleCode;
}>("parts/visible-code.ts");

const ROW_PX = 18;
const SEEN_PX = 300;

test("a short body is there as a whole", async () => {
  const { value, leave } = used(399, { scrollTop: 0 });
  assert.deepEqual([value().start, value().end, value().beforePx, value().afterPx], [0, 399, 0, 0]);
  await leave();
});

test("of a long one what can be seen is there, in a height that stays the same", async () => {
  const count = 5_000;
  const element = { scrollTop: 0 };
  const { value, leave } = used(count, element);
  const bottom = count * ROW_PX - SEEN_PX;
  for (const scrollTop of [0, 100, 719, 721, 9_000, 40_000, bottom, bottom - 400, 3, 0]) {
    element.scrollTop = scrollTop;
    value().look();
    await new Promise(setImmediate);
    const { start, end, beforePx, afterPx } = value();
    assert.ok(start >= 0 && end <= count && end - start < 200, `${start} to ${end}`);
    assert.ok(beforePx <= scrollTop, `nothing above ${scrollTop}`);
    assert.ok(end * ROW_PX >= scrollTop + SEEN_PX, `nothing below ${scrollTop}`);
    assert.equal(beforePx + (end - start) * ROW_PX + afterPx, count * ROW_PX);
  }
  await leave();
});

function used(count: number, current: { scrollTop: number }) {
  const hook = new UsedHook(useVisibleCode, { current }, count);
  return { value: () => hook.value, leave: () => hook.leave() };
}
