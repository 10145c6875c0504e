import type { Change } from "../../change.ts";
import {
  lineKind,
  type LineLimits,
  unsetLimits,
  type LineKey,
  type LinePatch,
  type LineSetting,
  type LineUses,
  type UsedLine,
  keyLine,
  UNLIMITED,
  QUEUE_DEFAULT,
  queueLine,
} from "../../model/line/line.ts";
import type { Instant } from "../../model/time.ts";
import type { Decision, Rule } from "../../rule.ts";
import type { FlowControl } from "../../model/message/message.ts";
import type { Account } from "../../model/account/account.ts";
import { requireWithin } from "../../policy/limits/limits.ts";

/** Changes the setting of a queue or a flow-control key; a claim visits the line at once. */
export interface SetLineAct extends LineKey {
  readonly rule: "set-line";
  readonly at: Instant;
  readonly patch: LinePatch;
  /** What to do when the line has no setting yet. */
  readonly ifMissing: "add" | "refuse";
  /** How many queues the account may have; null when the limit is not checked. */
  readonly queuesMax: number | null;
  /** Starts a new rate window. */
  readonly resetsRate?: boolean;
}

/** New limits hold at once: waiting messages may now start. */
export const setLine: Rule<SetLineAct, "set" | "missing" | "full"> = {
  needs: ({ accountId, line, queuesMax }) => ({
    lineSettings: [{ accountId, line }],
    ...(queuesMax === null
      ? {}
      : { accounts: [accountId], counts: [{ accountId, noun: "queues" }] }),
  }),
  decide: (act, rows): Decision<"set" | "missing" | "full"> => {
    const { accountId, line, at, queuesMax } = act;
    const known = rows.lineSetting(act);
    if (known === null) {
      if (act.ifMissing === "refuse") return { changes: [], answer: "missing" };
      const isFull = queuesMax !== null && rows.count({ accountId, noun: "queues" }) >= queuesMax;
      if (isFull) return { changes: [], answer: "full" };
    }
    const setting = patched(known ?? newLineSetting({ accountId, line }, at), act.patch, at);
    const changes: Change[] = [{ type: "line.set", setting }];
    if (act.resetsRate === true) changes.push({ type: "line.reset", accountId, line, at });
    changes.push({ type: "line.changed", accountId, line, at });
    return { changes, answer: "set" };
  },
};

export interface UnsetLineAct extends LineKey {
  readonly rule: "unset-line";
  readonly at: Instant;
}

/** Messages that are still in the line are sent without limits. */
export const unsetLine: Rule<UnsetLineAct, null> = {
  needs: () => ({}),
  decide: ({ accountId, line, at }) => ({
    changes: [
      { type: "line.unset", key: { accountId, line } },
      { type: "line.changed", accountId, line, at },
    ],
    answer: null,
  }),
};

/** How often the use of a flow-control key is recorded. */
export const USE_NOTED_MS = 3_600_000;

/** The setting of a line after messages were published into it; null when nothing changes. */
export function settingAfterUses(
  known: LineSetting | null,
  { accountId, line, asked }: LineUses,
): LineSetting | null {
  let after: LineSetting | null = null;
  for (const { limits, at } of asked) {
    after = settingOnceUsed(after ?? known, { accountId, line, limits }, at) ?? after;
  }
  return after;
}

/** The same after one message. */
export function settingOnceUsed(
  known: LineSetting | null,
  { accountId, line, limits }: UsedLine,
  at: Instant,
): LineSetting | null {
  if (known === null) return { ...newLineSetting({ accountId, line }, at), limits };
  if (lineKind(line) === "queue") return null;
  if (!saysMore(known, limits) && at < known.updatedAt + USE_NOTED_MS) return null;
  const { parallelism, rate, periodMs } = limits;
  const patch = {
    ...(known.isParallelismPinned ? {} : { parallelism }),
    ...(known.isRatePinned ? {} : { rate, periodMs }),
  };
  return patched(known, patch, at);
}

function saysMore(known: LineSetting, said: LineLimits): boolean {
  const { parallelism, rate, periodMs } = known.limits;
  return (
    (!known.isParallelismPinned && parallelism !== said.parallelism) ||
    (!known.isRatePinned && (rate !== said.rate || periodMs !== said.periodMs))
  );
}

function patched(setting: LineSetting, patch: LinePatch, at: Instant): LineSetting {
  const {
    isParallelismPinned = setting.isParallelismPinned,
    isRatePinned = setting.isRatePinned,
    ...limits
  } = patch;
  return {
    ...setting,
    limits: { ...setting.limits, ...limits },
    isParallelismPinned,
    isRatePinned,
    updatedAt: at,
  };
}

function newLineSetting({ accountId, line }: LineKey, at: Instant): LineSetting {
  return {
    accountId,
    line,
    limits: unsetLimits(line),
    isParallelismPinned: false,
    isRatePinned: false,
    createdAt: at,
    updatedAt: at,
  };
}

/** The use of a flow-control key by a message: the newest message sets the key's limits. */
export function keyUsed(accountId: string, flowControl: FlowControl): UsedLine {
  const { key, parallelism, rate, periodMs } = flowControl;
  const limits = { ...UNLIMITED, parallelism: parallelism ?? null, rate: rate ?? null, periodMs };
  return { accountId, line: keyLine(key), limits };
}

/** A pinned limit holds until it is unpinned, whatever is published. */
export function pinned(
  parallelism: number | undefined,
  rate: { readonly rate: number; readonly periodMs: number } | undefined,
): LinePatch {
  return {
    ...(parallelism === undefined ? {} : { parallelism, isParallelismPinned: true }),
    ...(rate === undefined ? {} : { ...rate, isRatePinned: true }),
  };
}

/** A formerly pinned limit stays until the next message sets it. */
export function unpinned(parallelism: boolean, rate: boolean): LinePatch {
  return {
    ...(parallelism ? { isParallelismPinned: false } : {}),
    ...(rate ? { isRatePinned: false } : {}),
  };
}

/** The use of a queue by a message: only the first one changes anything, it creates the queue. */
export function queueUsed(accountId: string, name: string): UsedLine {
  return { accountId, line: queueLine(name), limits: QUEUE_DEFAULT };
}

/** The changes of an upsert, refused when the account's plan does not allow them. */
export function queuePatch(
  { limits }: Account,
  { parallelism, paused }: { readonly parallelism: number; readonly paused: boolean },
): LinePatch {
  requireWithin("maxParallelism", parallelism, limits.queueParallelismMax ?? Infinity);
  return { parallelism, paused };
}

export function requireQueueWithin(account: Account, count: number): void {
  requireWithin("maxQueues", count, account.limits.queuesMax);
}
