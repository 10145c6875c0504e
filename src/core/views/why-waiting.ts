import {
  hostLine,
  lineKind,
  lineName,
  type LineRunning,
  roomOf,
  unsetLimits,
} from "../model/line/line.ts";
import type { HostObstacle, LineLoad, Wait } from "../model/line/waiting.ts";
import type { Instant } from "../model/time.ts";

/** A message, or the first of several, and all that may hold it back. */
export interface WaitingFacts {
  /** In due time. */
  readonly now: Instant;
  readonly isServicePaused: boolean;
  readonly load: LineLoad;
  readonly line: string;
  readonly host: string;
  readonly readyAt: Instant;
  readonly isTried: boolean;
  /** What this node has too little of for a message that nothing else holds back. */
  readonly obstacle: HostObstacle | null;
}

/** Null when it is about to start. A message that is not due meets its line once it is. */
export function whyWaiting(facts: WaitingFacts): Wait | null {
  const { line, readyAt, load } = facts;
  if (readyAt > facts.now) {
    return { reason: facts.isTried ? "retry" : "delay", endsAt: readyAt, line };
  }
  if (facts.isServicePaused) return pause("service", null);
  if (load.account.isHalted) return pause("account", null);
  return ofLine(facts) ?? ofAccount(load) ?? ofNode(facts);
}

function ofLine({ line, load, now }: WaitingFacts): Wait | null {
  const kind = lineKind(line);
  if (kind !== "queue" && kind !== "key") return null;
  const limits = load.setting?.limits ?? unsetLimits(line);
  if (limits.paused) return pause(kind, line);
  const { count, opensAt } = roomOf(limits, load.running ?? IDLE, load.held, now);
  if (count > 0) return null;
  if (kind === "queue") return { reason: "queue-full", endsAt: opensAt, line };
  const reason = opensAt === null ? "key-parallelism" : "key-rate";
  return { reason, endsAt: opensAt, line };
}

function ofAccount({ account: { parallelismMax, held } }: LineLoad): Wait | null {
  if (parallelismMax === null || held < parallelismMax) return null;
  return { reason: "account-parallelism", endsAt: null, line: null };
}

/** A queue hands its messages on without regard to their hosts. */
function ofNode({ line, host, obstacle }: WaitingFacts): Wait | null {
  if (obstacle === null || lineKind(line) === "queue") return null;
  const isOfNode = obstacle === "node-full";
  return { reason: obstacle, endsAt: null, line: isOfNode ? null : hostLine(host) };
}

function pause(pausedBy: NonNullable<Wait["pausedBy"]>, line: string | null): Wait {
  return { reason: "paused", endsAt: null, line, pausedBy };
}

/** A line as users know it: the two lines of a host are one. */
export function shownLine(line: string): { kind: "queue" | "key" | "host"; name: string } {
  const kind = lineKind(line);
  return { kind: kind === "retry" ? "host" : kind, name: lineName(line) };
}

const IDLE: LineRunning = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: false };
