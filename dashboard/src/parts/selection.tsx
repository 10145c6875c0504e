/** Which rows are chosen. */
import { useState } from "preact/hooks";

export interface Selection {
  readonly keys: ReadonlySet<string>;
  /** Chooses or drops one row; with `isRange` every row from the last one to it. */
  toggle(key: string, all: readonly string[], isRange: boolean): void;
  set(keys: Iterable<string>): void;
  clear(): void;
}

export function useSelection(): Selection {
  const [{ keys, last }, setState] = useState<{ keys: ReadonlySet<string>; last: string | null }>(
    NONE,
  );
  return {
    keys,
    toggle: (key, all, isRange) => {
      const next = new Set(keys);
      const from = last === null ? -1 : all.indexOf(last);
      const to = all.indexOf(key);
      if (isRange && from >= 0) {
        for (const each of all.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each);
      } else if (!next.delete(key)) next.add(key);
      setState({ keys: next, last: key });
    },
    set: (chosen) => setState({ keys: new Set(chosen), last: null }),
    clear: () => setState(NONE),
  };
}

const NONE = { keys: new Set<string>(), last: null };

export function SelectAll({
  selection,
  keys,
}: {
  readonly selection: Selection;
  readonly keys: readonly string[];
}) {
  const isAll = keys.length > 0 && keys.every((key) => selection.keys.has(key));
  const isSome = !isAll && selection.keys.size > 0;
  return (
    <th scope="col" class="pick">
      <input
        type="checkbox"
        class={`check ${isSome ? "some" : ""}`}
        aria-label="Select all rows shown"
        checked={isAll}
        onChange={() => (isAll ? selection.clear() : selection.set(keys))}
      />
    </th>
  );
}

interface SelectRowProps {
  readonly selection: Selection;
  readonly rowKey: string;
  readonly keys: readonly string[];
}

export function SelectRow({ selection, rowKey, keys }: SelectRowProps) {
  return (
    <td class="pick">
      <input
        type="checkbox"
        class="check"
        aria-label={`Select ${rowKey.slice(-5)}`}
        checked={selection.keys.has(rowKey)}
        onClick={(event) => selection.toggle(rowKey, keys, event.shiftKey)}
      />
    </td>
  );
}
