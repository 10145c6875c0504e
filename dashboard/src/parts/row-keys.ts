/** The keys of a table: `j` and `k` move, `Enter` opens, `x` chooses. */
import { useState } from "preact/hooks";
import { useKeys } from "../app/keys.ts";
import type { Selection } from "./selection.tsx";

interface RowKeyOptions {
  readonly keys: readonly string[];
  readonly open: (at: number) => void;
  readonly selection: Selection | undefined;
  readonly isOn: boolean;
}

/** The key of the row under the cursor. */
export function useRowKeys({ keys, open, selection, isOn }: RowKeyOptions): string | null {
  const [cursor, setCursor] = useState<string | null>(null);
  const at = cursor === null ? -1 : keys.indexOf(cursor);
  const move = (step: number): void => {
    const next = Math.max(0, Math.min(keys.length - 1, at + step));
    setCursor(keys[next] ?? null);
  };
  const choose = (isRange: boolean): void => {
    if (cursor !== null) selection?.toggle(cursor, keys, isRange);
  };
  useKeys(
    isOn
      ? {
          j: () => move(1),
          k: () => move(-1),
          Enter: () => at >= 0 && open(at),
          ...(selection === undefined
            ? {}
            : { x: () => choose(false), "Shift+X": () => choose(true) }),
        }
      : {},
  );
  return at < 0 ? null : cursor;
}
