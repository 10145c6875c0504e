import { mapBody, type Rule } from "../../rule.ts";
import { append, mapItems, type AppendItem } from "./append.ts";
import { endRun, type RunEnding } from "./end-run.ts";
import { delivered, held } from "../message/settle.ts";
import type { AttemptRecord } from "../../model/message/attempt.ts";
import type { Instant } from "../../model/time.ts";
import type { Lease } from "../../model/message/message.ts";
import type { RunRef } from "../../model/workflow/run.ts";
import type { Submitted } from "./run-message.ts";
import type { Refused } from "./run-entries.ts";

export type RunReply =
  | { readonly kind: "steps"; readonly items: readonly AppendItem[] }
  | ({ readonly kind: "end" } & RunEnding);

export type ReplyAnswer =
  /** Items that an ended run no longer accepts are left out. */
  | { readonly kind: "settled"; readonly items: readonly Submitted[] }
  /** The lease is no longer held; nothing was changed. */
  | { readonly kind: "stale" }
  /** Nothing was changed, and the delivery is still in progress. */
  | Extract<Refused, { readonly kind: "too-much" }>;

/** An endpoint has answered the delivery of a step with the steps it would otherwise submit. */
export interface ReplyAct {
  readonly rule: "reply";
  readonly at: Instant;
  readonly lease: Lease;
  readonly attempt: AttemptRecord;
  readonly ref: RunRef;
  readonly reply: RunReply;
}

/**
 * An endpoint has answered with its steps: the delivery is settled and its run continues, or ends,
 * in one transaction. A lease that is no longer held changes nothing: the step is delivered again,
 * and that delivery's reply counts.
 */
export const reply: Rule<ReplyAct, ReplyAnswer> = {
  needs: (act) => ({
    messages: [act.lease],
    ...(act.reply.kind === "end" ? endRun.needs(endOf(act)) : append.needs(appendOf(act))),
  }),
  decide: (act, rows) => {
    const state = held(act.lease, rows);
    if (state === null) return { changes: [], answer: { kind: "stale" } };
    const settlement = delivered(act, state);
    if (act.reply.kind === "end") {
      // The end of a run drops its messages, and this one is already settled as delivered.
      const { changes } = endRun.decide(endOf(act), rows);
      return { changes: [...changes, ...settlement], answer: { kind: "settled", items: [] } };
    }
    const { changes, answer } = append.decide(appendOf(act), rows);
    if (answer.kind === "too-much") return { changes: [], answer };
    const items = answer.kind === "appended" ? answer.items : [];
    return { changes: [...settlement, ...changes], answer: { kind: "settled", items } };
  },
  mapParts: (act, map) => {
    const { reply: given } = act;
    const attempt = mapBody(act.attempt, map);
    if (given.kind === "end") {
      return { ...act, attempt, reply: { ...given, response: map.body(given.response) } };
    }
    return { ...act, attempt, reply: { ...given, items: mapItems(given.items, map) } };
  },
};

function appendOf({ at, ref, reply: given }: ReplyAct) {
  const items = given.kind === "steps" ? given.items : [];
  return { rule: "append", at, ref, items } as const;
}

function endOf({ at, ref, reply: given }: ReplyAct) {
  if (given.kind !== "end") throw new Error("this reply does not end its run");
  const { response, invoker, invokerMessageId } = given;
  return {
    rule: "end-run",
    at,
    ref,
    phase: "success",
    response,
    invoker,
    invokerMessageId,
  } as const;
}
