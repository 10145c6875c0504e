/** What a panel reads from the server, shared with every other panel that reads the same. */
import { useLayoutEffect, useMemo } from "preact/hooks";
import {
  type Answer,
  NOTHING,
  pathSource,
  sharedAnswer,
  type Source,
  type Watch,
} from "./resources.ts";

export interface Resource<Value> extends Answer<Value> {
  /** Nothing was answered yet. */
  readonly isLoading: boolean;
  /** The server has no such endpoint or thing: leave the panel out. */
  readonly isMissing: boolean;
  /** After an action of the dashboard this is not needed: what it changed is read again by itself. */
  readonly reload: (withinMs?: number) => void;
}

/** A path of null reads nothing. `everyMs` of null reads once. */
export function useResource<Value>(
  path: string | null,
  everyMs: number | null = null,
): Resource<Value> {
  return useSource(path === null ? null : pathSource<Value>(path), { everyMs });
}

/** The same for what is read by several calls. */
export function useSource<Value>(source: Source<Value> | null, want: Watch): Resource<Value> {
  const name = source?.name ?? null;
  const { everyMs, firstAfterMs = 0 } = want;
  const shared = useMemo(() => (name === null ? null : sharedAnswer<Value>(name)), [name]);
  // Not after the next paint: what a screen showed is not read again once it has been left.
  useLayoutEffect(
    () => (source === null ? undefined : shared?.watch(source.load, { everyMs, firstAfterMs })),
    [shared, everyMs, firstAfterMs],
  );
  const answer: Answer<Value> = shared?.answer.value ?? NOTHING;
  return {
    ...answer,
    isLoading: shared !== null && answer.value === null && answer.error === null,
    isMissing: answer.error?.isMissing ?? false,
    reload: (withinMs) => shared?.reload(withinMs),
  };
}
