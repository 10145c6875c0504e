/** What has changed in a list that is shown: asked for after something was sent, and now and then without. */
import { useEffect } from "preact/hooks";
import { useLive } from "./live.ts";
import { type Resource, useSource } from "./resource.ts";
import type { Source } from "./resources.ts";

/** At most every two seconds. The list itself has read its first page, so the first news come later. */
export function useNews<Value>(
  source: Source<Value> | null,
  onNews: (value: Value) => void,
  firstAfterMs = EVERY_MS,
): Resource<Value> {
  const resource = useSource(source, { everyMs: EVERY_MS, firstAfterMs });
  useLive(() => resource.reload(GATHER_MS), source !== null);
  const { value } = resource;
  useEffect(() => {
    if (value !== null) onNews(value);
  }, [value]);
  return resource;
}

const GATHER_MS = 2_000;
const EVERY_MS = 10_000;
