import type { Clock } from "./clock.ts";

/** Whether the work ended in time. Late work continues in the background; its result is dropped. */
export async function endsWithin(
  clock: Clock,
  ms: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const patience = new AbortController();
  const tooLong = clock.sleep(ms, patience.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), tooLong]);
  } finally {
    patience.abort();
  }
}
