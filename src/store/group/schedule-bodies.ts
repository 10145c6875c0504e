import type { ScheduleWithBody } from "../records/resource-tables.ts";
import { scheduleKey } from "./row-keys.ts";
import type { WorkingSet } from "./working-set.ts";

/** The schedules whose settings a group writes; a tick changes only their state. */
export function schedulesWithBodies({ schedules, scheduleBodies }: WorkingSet): ScheduleWithBody[] {
  return [...schedules.put.values()].flatMap((schedule) => {
    const body = scheduleBodies.get(scheduleKey(schedule));
    return body === undefined ? [] : [{ ...schedule, body }];
  });
}
