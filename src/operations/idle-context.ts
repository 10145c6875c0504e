import { nodeNameOf, type Settings } from "../config/settings.ts";
import type { EgressPolicy } from "../core/policy/egress/egress.ts";
import { destinationReader } from "../core/policy/egress/read-destination.ts";
import { Bell } from "../store/bell.ts";
import { RunLists } from "../store/reads/run-lists.ts";
import { FairTurns } from "../platform/fair-turns.ts";
import type { AccountParts } from "./account/account-parts.ts";
import { DailyQuota } from "./account/daily-quota.ts";
import { FreshStats } from "./account/stats.ts";
import type { Context } from "./context.ts";
import { KnownQueues } from "./line/known-queues.ts";

/** What operations need, where no engine runs. */
export function idleContext(
  { manage, secretBox, machineClock }: AccountParts,
  settings: Settings,
  policy: EgressPolicy,
): Context {
  const { store, clock, ids, bell } = manage;
  return {
    store,
    clock,
    machineClock,
    ids,
    bell,
    tickBell: new Bell(),
    handOver: { reserve: () => null, obstacleFor: () => null },
    runLists: new RunLists(),
    turns: new FairTurns(),
    dailyQuota: new DailyQuota(store.reader.accounts, clock),
    knownQueues: new KnownQueues(store.reader.lines, clock),
    freshStats: new FreshStats(store, clock),
    readDestination: destinationReader(policy),
    dialect: settings.dialect,
    cursorSecrets: () => secretBox.derive("cursors"),
    storedBytesMax: settings.maxBatchBytes,
    nodeLoad: () => ({ slotsUsed: 0, slotsMax: 0 }),
    isDiskLow: () => false,
    isStandbyMissing: () => false,
    isStandingStill: () => false,
    nodeName: nodeNameOf(settings),
    lostNodes: () => [],
  };
}
