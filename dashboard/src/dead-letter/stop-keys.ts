/** `j` and `k` go from row to row, groups and their dead letters alike; `x` chooses the one that has the focus. */
import type { RefObject } from "preact";
import { useKeys } from "../app/keys.ts";

export function useStopKeys(card: RefObject<HTMLElement | null>): void {
  const move = (by: number): void => {
    const stops = [...(card.current?.querySelectorAll<HTMLElement>("[data-stop]") ?? [])];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops[Math.max(0, Math.min(stops.length - 1, at + by))]?.focus();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    x: () => choose(false),
    "Shift+X": () => choose(true),
  });
}

function choose(isRange: boolean): void {
  const stop = document.activeElement?.closest("[data-stop]");
  const row = stop?.closest("tr") ?? stop?.closest("[data-row]");
  row
    ?.querySelector(".check")
    ?.dispatchEvent(new MouseEvent("click", { bubbles: true, shiftKey: isRange }));
}
