import assert from "node:assert/strict";

import type { Schedule } from "../../src/core/model/schedule/schedule.ts";
import { aPutSchedule, scheduleKey } from "../support/schedules.ts";
import type { Scene } from "./scene.ts";

export async function scheduleOf(scene: Scene, scheduleId: string): Promise<Schedule> {
  const stored = await scene.store.reader.schedules.get(scheduleKey(scheduleId));
  assert.ok(stored !== null, `${scheduleId} is there`);
  return stored.schedule;
}

/** Makes a schedule and lets the clock stand at its first instant. */
export async function dueSchedule(scene: Scene, scheduleId: string): Promise<Schedule> {
  await scene.act(aPutSchedule(scene.now, scheduleId));
  const schedule = await scheduleOf(scene, scheduleId);
  scene.clock.advance((schedule.nextAt ?? 0) - scene.now);
  return schedule;
}
