import type { Change } from "../../change.ts";
import { lineKind, type LineLimits, unsetLimits } from "../../model/line/line.ts";
import type {
  LineKey,
  LinePatch,
  LineSetting,
  LineUses,
  UsedLine,
} from "../../model/line/line-setting.ts";
import type { Instant } from "../../model/time.ts";
import type { Decision, Rule } from "../../rule.ts";

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

/** Removes the setting of a queue or a flow-control key. */
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

/** The setting of a line that had none. */
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
