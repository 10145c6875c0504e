import { LINE_LIMITS, SCHEDULES, URL_GROUPS } from "../records/resource-tables.ts";
import type { LoadedTable } from "../records/table.ts";
import type { ResourceRows } from "./resource-rows.ts";
import type { WorkingSet } from "./working-set.ts";

/** Resources as rules ask for them by their keys, and as the rows of a transaction hold them. */
export type ResourceName = "urlGroups" | "lineSettings" | "schedules";

/** Rows of one table that rules ask for, made into a statement by each driver. */
export interface TableLoad {
  readonly name: ResourceName;
  readonly table: LoadedTable<object>;
}

/** What groups load of resources, in the order in which all groups take the tables. */
export const TABLE_LOADS: readonly TableLoad[] = [
  load("urlGroups", URL_GROUPS),
  load("lineSettings", LINE_LIMITS),
  load("schedules", SCHEDULES),
];

function load<Key, Item extends Key>(name: ResourceName, table: LoadedTable<Key, Item>): TableLoad {
  return { name, table } as unknown as TableLoad;
}

export function loadResource(rows: WorkingSet, name: ResourceName, item: object): void {
  (rows[name] as unknown as ResourceRows<object, object>).load(item);
}
