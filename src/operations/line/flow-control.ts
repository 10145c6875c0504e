import type { Account } from "../../core/model/account/account.ts";
import {
  KEY_PREFIX,
  keyLine,
  lineName,
  roomOf,
  type LinePatch,
  type LineReport,
} from "../../core/model/line/line.ts";
import { notFound } from "../../core/not-found.ts";
import type { Problem } from "../../core/problem.ts";
import { pinned, unpinned } from "../../core/rules/line/lines.ts";
import type { ClockTime } from "../../platform/clock.ts";
import type {
  PinRequest,
  ShownFlowControlKey,
  UnpinRequest,
} from "../../wire/line/flow-control-key.ts";
import type { Context } from "../context.ts";

export interface FlowControlKey {
  readonly accountId: string;
  readonly key: string;
}

export async function getFlowControlKey(
  { store }: Context,
  { accountId, key }: FlowControlKey,
): Promise<ShownFlowControlKey> {
  const time = store.clock.time();
  const line = { accountId, line: keyLine(key) };
  const report = await store.reader.lines.report(line, time.now + time.aheadMs);
  if (report === null) throw keyNotFound(key);
  return shown(report, time);
}

/** Keys by name; those that contain the text when one is given. */
export async function listFlowControlKeys(
  { store }: Context,
  accountId: string,
  search: string | null,
): Promise<ShownFlowControlKey[]> {
  const time = store.clock.time();
  const dueAt = time.now + time.aheadMs;
  const found = await store.reader.lines.list(
    accountId,
    KEY_PREFIX,
    search ?? "",
    LISTED_MAX,
    dueAt,
  );
  return found.map((report) => shown(report, time));
}

/** The attempts of the account in progress, and its limit; 0 for none. */
export async function getGlobalParallelism(
  { store }: Context,
  { accountId, limits }: Account,
): Promise<{ readonly parallelismMax: number; readonly parallelismCount: number }> {
  const parallelismCount = await store.reader.messages.underWay(accountId);
  return { parallelismMax: limits.parallelismMax ?? 0, parallelismCount };
}

/** A key can be paused or pinned before the first message that is published under it. */
export async function pause(context: Context, key: FlowControlKey): Promise<void> {
  await set(context, key, { paused: true }, { ifMissing: "add" });
}

export async function resume(context: Context, key: FlowControlKey): Promise<void> {
  await set(context, key, { paused: false });
}

/** A pinned limit holds at once, with a new rate window. */
export async function pin(
  context: Context,
  key: FlowControlKey,
  { parallelism, rate }: PinRequest,
): Promise<void> {
  const resetsRate = rate !== undefined;
  await set(context, key, pinned(parallelism, rate), { ifMissing: "add", resetsRate });
}

export async function unpin(
  context: Context,
  key: FlowControlKey,
  { parallelism, rate }: UnpinRequest,
): Promise<void> {
  await set(context, key, unpinned(parallelism, rate));
}

/** Starts a new rate window. Attempts in progress stay counted, so there is no more to reset. */
export async function resetRate(context: Context, key: FlowControlKey): Promise<void> {
  await set(context, key, {}, { resetsRate: true });
}

async function set(
  { store, clock, bell }: Context,
  { accountId, key }: FlowControlKey,
  patch: LinePatch,
  how: { readonly ifMissing?: "add"; readonly resetsRate?: boolean } = {},
): Promise<void> {
  const answer = await store.act({
    rule: "set-line",
    at: clock.now(),
    accountId,
    line: keyLine(key),
    patch,
    ifMissing: how.ifMissing ?? "refuse",
    queuesMax: null,
    resetsRate: how.resetsRate ?? false,
  });
  if (answer === "missing") throw keyNotFound(key);
  bell.ring();
}

/** A window that is over counts nothing. It began in due time. */
function shown({ setting, status }: LineReport, { now, aheadMs }: ClockTime): ShownFlowControlKey {
  const { limits } = setting;
  const running = { ...status, nextAt: null, emptied: false };
  return {
    flowControlKey: lineName(setting.line),
    waitListSize: status.waiting,
    parallelismMax: limits.parallelism ?? 0,
    parallelismCount: status.held,
    rateMax: limits.rate ?? 0,
    rateCount: roomOf(limits, running, status.held, now + aheadMs).windowStarts,
    ratePeriod: Math.ceil(limits.periodMs / 1_000),
    ratePeriodStart: Math.floor(Math.max(0, status.windowStartedAt - aheadMs) / 1_000),
    isPaused: limits.paused,
    isPinnedParallelism: setting.isParallelismPinned,
    isPinnedRate: setting.isRatePinned,
  };
}

function keyNotFound(key: string): Problem {
  return notFound("flow-control key", key, "flowControlKey");
}

const LISTED_MAX = 1_000;
