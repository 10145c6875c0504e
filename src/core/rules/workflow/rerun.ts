import { mapBody, type Rule } from "../../rule.ts";
import type { Change } from "../../change.ts";
import {
  type RunKey,
  type RunState,
  type Run,
  type RunEntry,
  isReplayed,
  type RunHistory,
} from "../../model/workflow/run.ts";
import { addRunMessage } from "./run-message.ts";
import type { DeadLetterKey } from "../../model/message/dead-letter.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import { stepHistories } from "../../views/step-histories.ts";
import { newRunState } from "./run-entries.ts";

export interface Resent {
  readonly kind: "step" | "call-result";
  readonly requested: Message;
  readonly ordinal: number;
  /** The body of a call's result. */
  readonly body: Uint8Array;
}

type Rerun =
  | { readonly kind: "rerun"; readonly runId: string; readonly createdAt: Instant }
  /** The dead letter is gone, the run has got another entry, or the id of the new run is in use. */
  | { readonly kind: "gone" | "changed" | "taken" };

export interface RerunAct {
  readonly rule: "rerun";
  readonly at: Instant;
  readonly key: DeadLetterKey;
  readonly from: RunKey;
  /** Of the failed run, at the time its entries were read. */
  readonly nextOrdinal: number;
  readonly run: Run;
  /** The first entries of the new run, in order; one sent again has the id of its new message. */
  readonly entries: readonly RunEntry[];
  readonly resent: readonly Resent[];
}

/**
 * Replaces a failed run with a new one that continues from the entries it keeps. Only the act that
 * removes the dead letter makes the run, so it is made once. Refused when the failed run has got an
 * entry since it was read.
 */
export const rerun: Rule<RerunAct, Rerun> = {
  needs: ({ key, from, run }) => ({
    deadLetters: [key],
    runs: [{ ref: from }, { ref: { accountId: run.accountId, runId: run.runId } }],
  }),
  decide: (act, rows) => {
    const { key, from } = act;
    const old = rows.runs.find(from);
    if (rows.deadLetter(key)?.run === undefined || old === null) return refused("gone");
    if (old.nextOrdinal !== act.nextOrdinal) return refused("changed");
    const latest = rows.runs.latest(act.run);
    if (latest?.phase === "started") return refused("taken");
    const createdAt = Math.max(act.run.createdAt, (latest?.createdAt ?? 0) + 1);
    const state = newRunState({ ...act.run, createdAt }, act.entries);
    const changes: Change[] = [
      { type: "dead-letter.removed", key },
      { type: "run.changed", run: succeeded(old, state) },
      { type: "run.added", run: state },
      ...act.entries.map((entry): Change => ({
        type: "run-entry.added",
        entry: { ...entry, runId: state.runId, createdAt },
      })),
      ...act.resent.flatMap((sent) => addRunMessage(state, { ...sent, nodeId: null }).changes),
    ];
    return { changes, answer: { kind: "rerun", runId: state.runId, createdAt } };
  },
  mapParts: (act, map) => ({
    ...act,
    entries: act.entries.map((entry) => mapBody(entry, map)),
    resent: act.resent.map((sent) => mapBody(sent, map)),
  }),
};

/** URLs that the failed run has given away lead to the new run. */
function succeeded(old: RunState, { runId, createdAt }: RunKey): RunState {
  return { ...old, failure: old.failure && { ...old.failure, followedBy: { runId, createdAt } } };
}

function refused(kind: Exclude<Rerun["kind"], "rerun">) {
  return { changes: [], answer: { kind } };
}

/** The entries that a new run keeps of a failed one, and those that are sent first. */
export interface RerunHistory {
  /** In the order of their ordinals, which they keep. */
  readonly kept: readonly RunEntry[];
  readonly resent: readonly RunEntry[];
}

/** From the beginning: only the payload is kept. */
export function restart({ entries }: RunHistory): RerunHistory {
  const kept = entries.filter(({ kind }) => kind === "payload");
  return { kept, resent: kept };
}

/**
 * From where it failed: a step with a result is not done again. Each parallel step without one is
 * done again; an answered call is not repeated, only its answer is delivered again. Open waits,
 * calls and invocations are dropped, since the endpoint submits them again.
 */
export function resumption(history: RunHistory): RerunHistory {
  const steps = stepHistories(history).flatMap((group) => group.steps);
  const open = steps.filter(({ result }) => result === undefined);
  const forgotten = new Set(open.map((step) => (step.answer ? undefined : step.open)));
  const kept = history.entries.filter((entry) => !forgotten.has(entry));
  const again = open.flatMap(({ answer, plan }) => answer ?? plan ?? []);
  if (again.length > 0) {
    return { kept, resent: again.toSorted((one, other) => one.ordinal - other.ordinal) };
  }
  const last = kept.findLast(({ kind }) => isReplayed(kind));
  return { kept, resent: last === undefined ? [] : [last] };
}
