/** Pages of dead letters. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { BulkCount, DeadLetterPage } from "../../../sdk/src/answers/dead-letter.ts";
import type { FailedRunPage } from "../../../sdk/src/answers/dead-run.ts";
import { ApiError, call, withQuery } from "../app/api.ts";
import { searchPages } from "../app/search-pages.ts";
import { type DeadKind, type DeadLetter, LISTS } from "./dead-letter.ts";

type Query = Readonly<Record<string, string | number | null>>;

export interface DeadList {
  readonly letters: readonly DeadLetter[];
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
}

type Page = DeadLetterPage | FailedRunPage;

/** A change of `version` reads anew. */
export function useDeadList(
  kind: DeadKind,
  query: Query,
  pageSize: number,
  version: number,
  isWanted: (letter: DeadLetter) => boolean = () => true,
): DeadList {
  const name = JSON.stringify([kind, query]);
  const [letters, setLetters] = useState<readonly DeadLetter[]>([]);
  const [cursor, setCursor] = useState<string | null>(null);
  const [loading, setLoading] = useState<"first" | "more" | null>("first");
  const [error, setError] = useState<ApiError | null>(null);
  const gone = useRef(new AbortController());
  const load = async (from: string | null): Promise<void> => {
    setLoading(from === null ? "first" : "more");
    try {
      const { signal } = gone.current;
      const page = await searchPages(from, async (at) => {
        const { messages, cursor: next = null } = await loadPage(kind, query, pageSize, at, signal);
        return { rows: messages.filter(isWanted), cursor: next };
      });
      setLetters((before) => (from === null ? page.rows : [...before, ...page.rows]));
      setCursor(page.cursor);
      setError(null);
      setLoading(null);
    } catch (problem) {
      if (!(problem instanceof ApiError)) return;
      setError(problem);
      setLoading(null);
    }
  };
  useEffect(() => {
    gone.current = new AbortController();
    void load(null);
    return () => gone.current.abort();
  }, [name, version]);
  return {
    letters,
    isLoading: loading === "first" && letters.length === 0,
    isLoadingMore: loading === "more",
    error,
    hasMore: cursor !== null,
    loadMore: () => loading === null && cursor !== null && void load(cursor),
  };
}

export function loadPage(
  kind: DeadKind,
  query: Query,
  count: number,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<Page> {
  return call<Page>(
    withQuery(LISTS[kind], { ...query, count, cursor }),
    signal === undefined ? {} : { signal },
  );
}

/** How many match, which the server counts without a change; at least so many when it ended early. */
export async function countMatching(
  kind: DeadKind,
  query: Query,
): Promise<{ readonly count: number; readonly isAtLeast: boolean }> {
  const path = withQuery(LISTS[kind], { ...query, dryRun: "true" });
  const counted = await call<BulkCount>(path, {
    method: "DELETE",
    isQuiet: true,
  });
  return { count: counted.count, isAtLeast: counted.isAbout };
}
