import type { HostStats, StatPoint } from "../../core/model/account/stats.ts";
import type { HostQuery, StatQuery } from "../../wire/account/stats.ts";
import type { Context } from "../context.ts";

export async function readSeries(
  { store, freshStats }: Context,
  accountId: string,
  query: StatQuery,
): Promise<readonly StatPoint[]> {
  await freshStats.record();
  return store.reader.stats.series(accountId, query);
}

export async function readHosts(
  { store, freshStats }: Context,
  accountId: string,
  { fromAt, count }: HostQuery,
): Promise<readonly HostStats[]> {
  await freshStats.record();
  return store.reader.stats.hosts(accountId, fromAt, count);
}
