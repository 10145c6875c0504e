import type { BacklogPoint } from "../../core/model/account/backlog.ts";
import type { HostStats, StatPoint } from "../../core/model/account/stats.ts";
import type { HostQuery, StatQuery } from "../../wire/account/stats.ts";
import type { Context } from "../context.ts";

export interface Series {
  readonly points: readonly StatPoint[];
  readonly backlog: readonly BacklogPoint[];
}

export async function readSeries(
  { store, freshStats }: Context,
  accountId: string,
  query: StatQuery,
): Promise<Series> {
  await freshStats.record();
  const { stats } = store.reader;
  const [points, backlog] = await Promise.all([
    stats.series(accountId, query),
    query.host === undefined ? stats.backlog(accountId, query) : [],
  ]);
  return { points, backlog };
}

export async function readHosts(
  { store, freshStats }: Context,
  accountId: string,
  { fromAt, count }: HostQuery,
): Promise<readonly HostStats[]> {
  await freshStats.record();
  return store.reader.stats.hosts(accountId, fromAt, count);
}
