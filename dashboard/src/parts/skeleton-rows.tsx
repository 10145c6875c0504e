/** Rows of the same height while the first ones load; after 150 ms, so that a quick answer does not flicker. */
import { useEffect, useState } from "preact/hooks";

export function useAfter(ms: number): boolean {
  const [isPast, setPast] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setPast(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return isPast;
}

export function SkeletonRows({
  columns,
  rows = 6,
}: {
  readonly columns: number;
  readonly rows?: number;
}) {
  const isShown = useAfter(150);
  return (
    <>
      {Array.from({ length: rows }, (_, row) => (
        <tr key={`skeleton-${row}`} class="loading">
          {Array.from({ length: columns }, (__, column) => (
            <td key={column} class={column === 1 ? "full" : column > 2 ? "hide-s" : undefined}>
              {isShown ? (
                <svg
                  class="skel"
                  width={`${55 + ((row * 7 + column * 13) % 35)}%`}
                  aria-hidden="true"
                />
              ) : null}
            </td>
          ))}
        </tr>
      ))}
    </>
  );
}
