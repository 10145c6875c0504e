import { STAT_RETENTION_MS, STAT_STEPS_MS } from "../../core/model/account/stats.ts";

/** Which rows of stats are too old. */
export interface StatAge {
  readonly stepMs: number;
  readonly isOfHost: boolean;
  readonly before: number;
}

export function statAges(now: number): StatAge[] {
  const age = (step: keyof typeof STAT_STEPS_MS): StatAge => ({
    stepMs: STAT_STEPS_MS[step],
    isOfHost: false,
    before: now - STAT_RETENTION_MS[step],
  });
  const ofHosts = { ...age("hour"), isOfHost: true, before: now - STAT_RETENTION_MS.host };
  return [age("minute"), age("hour"), age("day"), ofHosts];
}
