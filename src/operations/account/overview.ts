import type { Account } from "../../core/model/account/account.ts";
import {
  type HostStats,
  STAT_STEPS_MS,
  startOfStep,
  type StatPoint,
} from "../../core/model/account/stats.ts";
import type { LogState } from "../../core/model/message/log-entry.ts";
import type { Instant } from "../../core/model/time.ts";
import type { LoggedMessage } from "../../store/reader/messages.ts";
import type { HostQuery, StatQuery } from "../../wire/account/stats.ts";
import type { Context } from "../context.ts";
import { getGlobalParallelism } from "../line/flow-control.ts";
import { listQueues } from "../line/queues.ts";
import { listWaiting } from "../line/waiting.ts";
import { listLog } from "../message/messages.ts";
import { readHosts, readSeries } from "./stats.ts";

/** A destination with its last day, and its newest attempts where most of them fail. */
export interface ShownHost extends HostStats {
  readonly hours: readonly StatPoint[];
  readonly lastError: LoggedMessage | null;
  readonly newest: Newest | null;
}

interface Newest {
  readonly attempts: number;
  readonly failed: number;
  /** When an attempt last succeeded, where all of the newest failed. */
  readonly deliveredAt: Instant | null;
}

/** All that the first screen of an account shows, in one answer. */
export async function readOverview(
  context: Context,
  account: Account,
  { series, hosts }: { readonly series: StatQuery; readonly hosts: HostQuery },
) {
  const { accountId } = account;
  const [shownSeries, allHosts, waiting, queues, parallelism] = await Promise.all([
    readSeries(context, accountId, series),
    readHosts(context, accountId, hosts),
    listWaiting(context, accountId),
    listQueues(context, accountId),
    getGlobalParallelism(context, account),
  ]);
  const shownHosts = await showHosts(context, account, allHosts);
  return { series: shownSeries, hosts: shownHosts, waiting, queues, parallelism };
}

/** Of the hosts, the busiest first: the busiest, and those of which most attempts failed. */
export async function showHosts(
  context: Context,
  account: Account,
  hosts: readonly HostStats[],
): Promise<readonly ShownHost[]> {
  const shown: ShownHost[] = [];
  for (const host of shownOf(hosts)) shown.push(await detailed(context, account, host));
  return shown;
}

function shownOf(hosts: readonly HostStats[]): readonly HostStats[] {
  const failing = hosts
    .filter(({ failedAttempts }) => failedAttempts > 0)
    .toSorted((one, other) => failedShare(other) - failedShare(one));
  return [...new Set([...hosts.slice(0, SHOWN_MAX), ...failing.slice(0, SHOWN_MAX)])];
}

function failedShare({ attempts, failedAttempts }: HostStats): number {
  return failedAttempts / attempts;
}

async function detailed(context: Context, account: Account, host: HostStats): Promise<ShownHost> {
  const now = context.clock.now();
  const toAt = startOfStep(now, "hour") + STAT_STEPS_MS.hour;
  const fromAt = toAt - STAT_STEPS_MS.day;
  const day = { step: "hour", fromAt, toAt, host: host.host } as const;
  const { points } = await readSeries(context, account.accountId, day);
  const isFailed = host.failedAttempts > 0;
  const [lastError = null] = isFailed ? await newestOf(context, account, host, ["ERROR"], 1) : [];
  const isFailing = host.attempts >= TELLING_MIN && failedShare(host) >= 0.5;
  const newest = isFailing ? await newestAttempts(context, account, host) : null;
  return { ...host, hours: points, lastError, newest };
}

async function newestAttempts(
  context: Context,
  account: Account,
  host: HostStats,
): Promise<Newest> {
  const ended = await newestOf(context, account, host, ["ERROR", "DELIVERED"], NEWEST);
  const failed = ended.filter(({ entry }) => entry.state === "ERROR").length;
  const isDown = failed === ended.length;
  const [last] = isDown ? await newestOf(context, account, host, ["DELIVERED"], 1) : [];
  return { attempts: ended.length, failed, deliveredAt: last?.entry.at ?? null };
}

async function newestOf(
  context: Context,
  account: Account,
  { host }: HostStats,
  states: readonly LogState[],
  count: number,
): Promise<readonly LoggedMessage[]> {
  const filter = { hosts: [host], states };
  const query = { filter, count, order: "latestFirst", cursor: null } as const;
  return (await listLog(context, account, query)).items;
}

/** Of the busiest hosts, and of those that fail. */
const SHOWN_MAX = 5;
/** With fewer attempts it cannot be told whether a host fails. */
const TELLING_MIN = 10;
const NEWEST = 10;
