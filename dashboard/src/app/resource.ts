/** What a panel reads from the server: loaded when shown, again at intervals, never while the tab is hidden. */
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, call } from "./api.ts";
import { serverNow } from "./clock.ts";
import { noteReached, noteUnreachable } from "./reachable.ts";

export interface Resource<Value> {
  /** The newest answer; it stays while a newer one cannot be had. */
  readonly value: Value | null;
  readonly error: ApiError | null;
  /** When the value was read. */
  readonly readAt: number | null;
  /** Nothing was answered yet. */
  readonly isLoading: boolean;
  /** The server has no such endpoint or thing: leave the panel out. */
  readonly isMissing: boolean;
  readonly reload: () => void;
}

interface Loaded<Value> {
  readonly path: string | null;
  readonly value: Value | null;
  readonly error: ApiError | null;
  readonly readAt: number | null;
}

/** A path of null reads nothing. `everyMs` of null reads once. */
export function useResource<Value>(
  path: string | null,
  everyMs: number | null = null,
): Resource<Value> {
  const [loaded, setLoaded] = useState<Loaded<Value>>({
    path: null,
    value: null,
    error: null,
    readAt: null,
  });
  const reload = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (path === null) return undefined;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      clearTimeout(timer);
      try {
        const value = await call<Value>(path, { signal: gone.signal });
        setLoaded({ path, value, error: null, readAt: serverNow() });
        noteReached();
      } catch (error) {
        if (!(error instanceof ApiError)) return;
        if (error.status === 0) noteUnreachable();
        setLoaded((before) => ({ ...(before.path === path ? before : NOTHING), path, error }));
        if (error.isMissing) return;
      }
      if (everyMs !== null && !document.hidden) timer = setTimeout(() => void load(), everyMs);
    };
    reload.current = () => void load();
    const look = (): void =>
      void (document.hidden ? clearTimeout(timer) : everyMs !== null && load());
    document.addEventListener("visibilitychange", look);
    void load();
    return () => {
      gone.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [path, everyMs]);
  const current = loaded.path === path ? loaded : (NOTHING as Loaded<Value>);
  return {
    ...current,
    isLoading: path !== null && current.value === null && current.error === null,
    isMissing: current.error?.isMissing ?? false,
    reload: () => reload.current(),
  };
}

const NOTHING = { path: null, value: null, error: null, readAt: null };
