import { keyLine, UNLIMITED } from "../../model/line/line.ts";
import type { LinePatch, UsedLine } from "../../model/line/line-setting.ts";
import type { FlowControl } from "../../model/message/message.ts";

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
