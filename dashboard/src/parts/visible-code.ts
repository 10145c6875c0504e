/** Which rows of a long body can be seen. From 400 rows on, only those are in the document. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";

interface VisibleCode {
  readonly start: number;
  readonly end: number;
  readonly beforePx: number;
  readonly afterPx: number;
  /** To be called when the element was scrolled. */
  readonly look: () => void;
}

export function useVisibleCode(element: RefObject<HTMLElement | null>, count: number): VisibleCode {
  const [first, setFirst] = useState(0);
  const look = (): void => {
    const above = Math.floor((element.current?.scrollTop ?? 0) / ROW_PX);
    const next = Math.max(0, above - AROUND);
    if (Math.abs(first - next) >= AROUND / 2 || next === 0) setFirst(next);
  };
  if (count < LONG_FROM) return { start: 0, end: count, beforePx: 0, afterPx: 0, look: () => {} };
  const start = Math.min(first, count - SHOWN);
  const end = start + SHOWN;
  return { start, end, beforePx: start * ROW_PX, afterPx: (count - end) * ROW_PX, look };
}

const LONG_FROM = 400;
/** The line height of `--t-code`. */
const ROW_PX = 18;
/** Rows kept above and below those that can be seen, so that a quick scroll finds them. */
const AROUND = 40;
/** The element is at most 300 pixels high. */
const SHOWN = Math.ceil(300 / ROW_PX) + 2 * AROUND;
