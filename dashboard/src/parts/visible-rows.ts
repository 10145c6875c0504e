/** Which rows of a long table are near the window. From 300 rows on, only those are in the document. */
import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

interface VisibleRows {
  readonly start: number;
  readonly end: number;
  readonly beforePx: number;
  readonly afterPx: number;
  /** Scrolls until the row can be seen. */
  readonly show: (index: number) => void;
}

export function useVisibleRows(
  body: RefObject<HTMLTableSectionElement | null>,
  count: number,
): VisibleRows {
  const [{ top, rowPx }, setView] = useState({ top: 0, rowPx: ROW_PX });
  const isLong = count >= LONG_FROM;
  useEffect(() => {
    if (!isLong) return undefined;
    let isAsked = false;
    const look = (): void => {
      isAsked = false;
      const element = body.current;
      if (element === null) return;
      const height = element.querySelector<HTMLElement>("tr:not(.spacer)")?.offsetHeight ?? ROW_PX;
      const above = Math.max(0, -element.getBoundingClientRect().top);
      const next = Math.floor(above / height);
      setView((before) =>
        Math.abs(before.top - next) < AROUND / 2 && before.rowPx === height
          ? before
          : { top: next, rowPx: height },
      );
    };
    const ask = (): void => {
      if (isAsked) return;
      isAsked = true;
      requestAnimationFrame(look);
    };
    look();
    window.addEventListener("scroll", ask, { passive: true });
    window.addEventListener("resize", ask);
    return () => {
      window.removeEventListener("scroll", ask);
      window.removeEventListener("resize", ask);
    };
  }, [isLong]);
  const start = isLong ? Math.max(0, Math.min(top - AROUND, count - 1)) : 0;
  const end = isLong
    ? Math.min(count, Math.max(start, top) + Math.ceil(window.innerHeight / rowPx) + AROUND)
    : count;
  return {
    start,
    end,
    beforePx: start * rowPx,
    afterPx: (count - end) * rowPx,
    show: (index) => showRow(body.current, index - start, index * rowPx),
  };
}

function showRow(body: HTMLTableSectionElement | null, shownIndex: number, offsetPx: number): void {
  if (body === null || offsetPx < 0) return;
  const row = [...body.querySelectorAll<HTMLElement>("tr:not(.spacer)")][shownIndex];
  if (row !== undefined) row.scrollIntoView({ block: "nearest" });
  else
    window.scrollTo(
      0,
      window.scrollY + body.getBoundingClientRect().top + offsetPx - window.innerHeight / 2,
    );
}

const LONG_FROM = 300;
const ROW_PX = 38;
/** Rows kept above and below the window, so that a quick scroll finds them. Each costs time when the list is drawn. */
const AROUND = 12;
