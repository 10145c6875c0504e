import type { Clock } from "../../platform/clock.ts";

/** Whether a lease that was requested when this was made may have been disowned or taken over by now. */
export type LeaseAge = () => boolean;

/**
 * Made before a lease is requested, since the answer may take long. A suspension of the machine shows on only one of
 * the two clocks.
 */
export function leaseAge(clock: Clock): LeaseAge {
  const from = clock.monotonic();
  const fromWall = clock.wall();
  return () => Math.max(clock.monotonic() - from, clock.wall() - fromWall) > LEASE_AGE_MS_MAX;
}

/** Less than the time after which a node disowns a lease, or others take it over. */
const LEASE_AGE_MS_MAX = 10_000;
