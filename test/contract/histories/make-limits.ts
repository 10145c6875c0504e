import {
  keyLine,
  QUEUE_DEFAULT,
  queueLine,
  type UsedLine,
} from "../../../src/core/model/line/line.ts";
import type { Act } from "../../../src/core/rules/registry.ts";
import { aLimit } from "../../support/messages.ts";
import type { ActStep } from "./step.ts";

type StepOf<Name extends ActStep["do"]> = Extract<ActStep, { do: Name }>;

export function limitOf(
  { account: accountId, line, parallelism, rate, ...step }: StepOf<"limit">,
  at: number,
): Act {
  const isKey = line.startsWith("k:");
  const { paused, isParallelismPinned, isRatePinned } = step;
  return aLimit(
    at,
    { accountId, line },
    {
      parallelism,
      rate: isKey ? rate : null,
      periodMs: 25,
      paused,
      ...(isKey ? { isParallelismPinned, isRatePinned } : {}),
    },
  );
}

export function removalOf({ account: accountId, line }: StepOf<"remove-queue">, at: number): Act {
  return { rule: "unset-line", at, accountId, line };
}

/** What a publisher says of the lines of its message. */
export function usesOf({ account: accountId, queue, key, says }: StepOf<"publish">): UsedLine[] {
  const uses: UsedLine[] = [];
  if (queue !== undefined) {
    uses.push({ accountId, line: queueLine(queue), limits: QUEUE_DEFAULT });
  }
  if (key !== undefined && says !== undefined) {
    const limits = { ...says, periodMs: 25, paused: false };
    uses.push({ accountId, line: keyLine(key), limits });
  }
  return uses;
}
