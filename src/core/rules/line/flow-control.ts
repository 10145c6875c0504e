import { keyLine, UNLIMITED } from "../../model/line/line.ts";
import type { LinePatch, UsedLine } from "../../model/line/line-setting.ts";
import type { FlowControl } from "../../model/message/message.ts";

/** What a message under a flow-control key makes of it: the newest says what it lets through. */
export function keyUsed(accountId: string, flowControl: FlowControl): UsedLine {
  const { key, parallelism, rate, periodMs } = flowControl;
  const limits = { ...UNLIMITED, parallelism: parallelism ?? null, rate: rate ?? null, periodMs };
  return { accountId, line: keyLine(key), limits };
}

/** A part that is pinned rules until it is unpinned, whatever is published. */
export function pinned(
  parallelism: number | undefined,
  rate: { readonly rate: number; readonly periodMs: number } | undefined,
): LinePatch {
  return {
    ...(parallelism === undefined ? {} : { parallelism, isParallelismPinned: true }),
    ...(rate === undefined ? {} : { ...rate, isRatePinned: true }),
  };
}

/** What was pinned stays as it is until a message says otherwise. */
export function unpinned(parallelism: boolean, rate: boolean): LinePatch {
  return {
    ...(parallelism ? { isParallelismPinned: false } : {}),
    ...(rate ? { isRatePinned: false } : {}),
  };
}
