import { BODY_PIECES } from "../records/message-tables.ts";
import {
  ACCOUNTS,
  LINE_LIMITS,
  SCHEDULE_SETTINGS,
  SCHEDULES,
  type ScheduleWithBody,
  URL_GROUPS,
} from "../records/resource-tables.ts";
import {
  EVENTS_OF_RUN,
  RUN_ENTRIES,
  RUN_EVENTS,
  RUN_FACTS,
  RUN_RESPONSES,
  RUNS,
  WAITERS,
  WAITERS_OF_RUN,
} from "../records/run-tables.ts";
import type { Table } from "../records/table.ts";
import { scheduleKey } from "./row-keys.ts";
import type { WorkingSet } from "./working-set.ts";

/** How rows are written by their keys. */
export type Way = "add" | "change" | "put" | "remove";

/** Rows of one table that a group writes, made into a statement by each driver. */
export interface TableWrite {
  readonly way: Way;
  readonly table: Table<object>;
  readonly rowsIn: (rows: WorkingSet) => ChangedRows<object>;
}

type ChangedRows<Item> = ReadonlyMap<string, Item> | readonly Item[];

/** What groups write of resources and runs, in the order in which all groups take the tables. */
export const TABLE_WRITES: readonly TableWrite[] = [
  write("put", BODY_PIECES, ({ bodyPieces }) => bodyPieces),
  write("put", URL_GROUPS, ({ urlGroups }) => urlGroups.put),
  remove(URL_GROUPS, ({ urlGroups }) => urlGroups.removed),
  write("put", SCHEDULES, ({ schedules }) => schedules.put),
  write("put", SCHEDULE_SETTINGS, schedulesWithBodies),
  remove(SCHEDULES, ({ schedules }) => schedules.removed),
  remove(SCHEDULE_SETTINGS, ({ schedules }) => schedules.removed),
  write("put", LINE_LIMITS, ({ lineSettings }) => lineSettings.put),
  write("add", ACCOUNTS, ({ accountsAdded }) => accountsAdded),
  write("change", ACCOUNTS, ({ accountsChanged }) => accountsChanged),
  write("add", RUNS, ({ runs }) => runs.added),
  write("add", RUN_FACTS, ({ runs }) => runs.added),
  write("change", RUNS, ({ runs }) => runs.changed),
  write("change", RUN_FACTS, ({ runs }) => runs.restated),
  write("add", RUN_ENTRIES, ({ runs }) => runs.entries),
  remove(WAITERS, ({ runs }) => runs.waitersRemoved),
  write("add", WAITERS, ({ runs }) => runs.waitersAdded),
  remove(RUN_EVENTS, ({ runs }) => runs.eventsTaken),
  write("add", RUN_EVENTS, ({ runs }) => runs.eventsStored),
  // waiters_run
  remove(WAITERS_OF_RUN, ({ runs }) => Array.from(runs.ended.values(), ({ run }) => run)),
  remove(EVENTS_OF_RUN, ({ runs }) =>
    Array.from(runs.ended.values(), ({ run }) => run).filter(
      ({ storedEvents }) => storedEvents > 0,
    ),
  ),
  write("change", RUN_RESPONSES, ({ runs }) =>
    [...runs.ended.values()].filter(({ response }) => response !== null),
  ),
];

/** The rows to write; null when the group has changed none, and nothing is to be done for the table. */
export function changedRows(
  { rowsIn }: Pick<TableWrite, "rowsIn">,
  rows: WorkingSet,
): Iterable<object> | null {
  const changed = rowsIn(rows);
  if (changed instanceof Map) return changed.size === 0 ? null : changed.values();
  const items = changed as readonly object[];
  return items.length === 0 ? null : items;
}

function write<Key, Item extends Key>(
  way: Exclude<Way, "remove">,
  table: Table<Key, Item>,
  rowsIn: (rows: WorkingSet) => ChangedRows<Item>,
): TableWrite {
  return { way, table, rowsIn } as unknown as TableWrite;
}

function remove<Key>(
  table: Table<Key, never>,
  rowsIn: (rows: WorkingSet) => ChangedRows<Key>,
): TableWrite {
  return { way: "remove", table, rowsIn } as unknown as TableWrite;
}

/** The schedules whose settings a group writes; a tick changes only their state. */
function schedulesWithBodies({ schedules, scheduleBodies }: WorkingSet): ScheduleWithBody[] {
  return [...schedules.put.values()].flatMap((schedule) => {
    const body = scheduleBodies.get(scheduleKey(schedule));
    return body === undefined ? [] : [{ ...schedule, body }];
  });
}
