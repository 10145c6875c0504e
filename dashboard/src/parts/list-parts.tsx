/** What stands around the table of a watched list. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { counted, countText } from "../app/format.ts";
import { navigate, setQuery } from "../app/router.ts";
import type { WatchedList } from "../app/watched-list.ts";
import { Blank } from "./blank.tsx";
import { Button } from "./button.tsx";
import { wordOf } from "./chip.tsx";
import { Segmented } from "./segmented.tsx";

export interface TabCount {
  readonly count: number;
  /** There may be more. */
  readonly isAbout?: boolean;
  /** What is counted, with its period. */
  readonly says?: string;
}

/** Chooses one state of the filter, or all. */
export function StateChoice({
  states,
  chosen,
  counts = {},
}: {
  readonly states: readonly string[];
  readonly chosen: string | null;
  /** How many are in a state, where that is known. */
  readonly counts?: Readonly<Record<string, TabCount | undefined>>;
}) {
  return (
    <div class="row">
      <Segmented
        label="State"
        value={chosen ?? ""}
        options={["", ...states].map((value) => ({
          value,
          name: value === "" ? "All" : wordOf(value),
          ...counts[value],
        }))}
        onChoose={(state) => setQuery({ state })}
      />
    </div>
  );
}

interface NewRowsProps {
  readonly list: WatchedList<unknown>;
  /** `new message` */
  readonly what: string;
}

/** New rows wait behind this; it is told now and then, not for each of them. */
export function NewRows({ list: { pendingCount, showPending }, what }: NewRowsProps) {
  const tens = Math.floor(pendingCount / 10) * 10;
  return (
    <>
      {pendingCount === 0 ? null : (
        <button type="button" class="newpill" onClick={showPending}>
          {counted(pendingCount, what)}
        </button>
      )}
      <span class="sr" aria-live="polite">
        {tens > 0 ? `More than ${tens} ${what}s` : ""}
      </span>
    </>
  );
}

interface ListFootProps {
  readonly list: WatchedList<unknown>;
  /** `message` */
  readonly what: string;
  /** About how much there is to search, where it is searched. */
  readonly of?: number | null;
  readonly order?: "newest first" | "oldest first";
}

export function ListFoot({ list, what, of = null, order }: ListFootProps) {
  useFetchAhead(list);
  if (list.rows.length === 0) return null;
  const searched = list.hasMore && of !== null ? searchedText(list, of) : null;
  return (
    <div class="more">
      <span>
        {counted(list.rows.length, what)}
        {order === undefined ? "" : `, ${order}`}
        {searched === null ? "" : `. ${searched}`}
      </span>
      <span class="hide-s">
        <kbd>j</kbd> <kbd>k</kbd> move · <kbd>Enter</kbd> open · <kbd>Space</kbd> pause
      </span>
      {list.hasMore ? (
        <Button isSmall onPress={list.loadMore} whyNot={list.isLoadingMore ? "Loading" : null}>
          {searched === null
            ? order === "oldest first"
              ? "Load more"
              : "Load older"
            : "Search on"}
        </Button>
      ) : null}
    </div>
  );
}

/** How far the server has looked; null where it does not say. */
function searchedText({ searched }: WatchedList<unknown>, of: number | null): string | null {
  if (searched === null) return null;
  const all = of === null ? "" : ` of about ${countText(Math.max(of, searched))}`;
  return `Searched ${countText(searched)}${all} log entries.`;
}

/** Reads the next page when the reader has scrolled through most of the rows. */
function useFetchAhead({ hasMore, isLoadingMore, error, loadMore }: WatchedList<unknown>): void {
  const isReady = hasMore && !isLoadingMore && error === null;
  const load = useRef(loadMore);
  load.current = loadMore;
  useEffect(() => {
    if (!isReady) return undefined;
    let isAsked = false;
    const look = (): void => {
      const { scrollHeight } = document.documentElement;
      const isFar = window.scrollY + window.innerHeight >= AHEAD_SHARE * scrollHeight;
      if (isAsked || window.scrollY === 0 || !isFar) return;
      isAsked = true;
      load.current();
    };
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [isReady]);
}

const AHEAD_SHARE = 0.7;

interface NoRowsProps {
  readonly list: WatchedList<unknown>;
  /** `message` */
  readonly what: string;
  readonly time: string | null;
  readonly path: string;
  readonly of?: number | null;
  /** What is known of the last match. */
  readonly children?: ComponentChildren;
}

/** The list is empty: it could not be read, or nothing matches. */
export function NoRows({ list, what, time, path, of = null, children }: NoRowsProps) {
  if (list.error !== null) {
    return (
      <Blank icon="alert" title={`These ${what}s cannot be shown`}>
        <span class="soft">{list.error.message}</span>
        <Button isSmall onPress={list.reload}>
          Try again
        </Button>
      </Blank>
    );
  }
  if (list.hasMore) {
    return (
      <Blank title={`No ${what} matches so far`}>
        <span class="soft">{searchedText(list, of) ?? "Only the newest ones were searched."}</span>
        <Button
          isSmall
          onPress={list.loadMore}
          whyNot={list.isLoadingMore ? "It is being searched" : null}
        >
          {list.isLoadingMore ? "Searching…" : "Search older ones"}
        </Button>
      </Blank>
    );
  }
  return (
    <Blank title={`No ${what} matches these filters`}>
      {children}
      {time === "1h" || time === "24h" ? (
        <Button isSmall onPress={() => setQuery({ time: "7d" })}>
          Search the last 7 days
        </Button>
      ) : (
        <Button isSmall onPress={() => navigate(path, "replace")}>
          Remove the filters
        </Button>
      )}
    </Blank>
  );
}
