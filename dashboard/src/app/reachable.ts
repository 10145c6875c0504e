/** Whether the server answers, and since when what is shown is old. */
import { signal } from "@preact/signals";
import { serverNow } from "./clock.ts";

/** When the server last answered, once it no longer does; null while it does. */
export const unreachableSince = signal<number | null>(null);
/** When the server last answered at all. */
export const reachedAt = signal<number>(serverNow());

export function noteReached(): void {
  reachedAt.value = serverNow();
  unreachableSince.value = null;
}

export function noteUnreachable(): void {
  unreachableSince.value ??= reachedAt.peek();
}
