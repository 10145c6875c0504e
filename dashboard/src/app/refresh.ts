/** Asks the server again while something may have changed. */
import { useEffect, useRef } from "preact/hooks";
import { ApiError } from "./api.ts";
import { useLive } from "./live.ts";
import { noteReached, noteUnreachable } from "./reachable.ts";

/** Asks again after something was sent, at most every two seconds, and now and then without. */
export function useRefresh(isOn: boolean, refresh: () => Promise<void>): void {
  const newest = useRef(refresh);
  newest.current = refresh;
  const asked = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const ask = (afterMs: number): void => {
    asked.current ??= setTimeout(() => {
      newest.current().then(noteReached, (error: unknown) => {
        if (error instanceof ApiError && error.status === 0) noteUnreachable();
      });
      asked.current = undefined;
    }, afterMs);
  };
  useLive(() => ask(REFRESH_MS), isOn);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => document.hidden || ask(0), EVERY_MS);
    return () => {
      clearInterval(timer);
      clearTimeout(asked.current);
      asked.current = undefined;
    };
  }, [isOn]);
}

const REFRESH_MS = 2_000;
const EVERY_MS = 10_000;
