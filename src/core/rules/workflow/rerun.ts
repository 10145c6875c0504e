import { mapBody, type Rule } from "../../rule.ts";
import type { Change } from "../../change.ts";
import type { RunKey, RunState, Run } from "../../model/workflow/run.ts";
import { keptBytes } from "./rerun-history.ts";
import { addRunMessage } from "./run-message.ts";
import type { DeadLetterKey } from "../../model/message/dead-letter.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import type { RunEntry } from "../../model/workflow/run-entry.ts";

export interface Resent {
  readonly kind: "step" | "call-result";
  readonly requested: Message;
  readonly ordinal: number;
  /** The body of a call's result. */
  readonly body: Uint8Array;
}

export type Rerun =
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
  /**
   * The first entries of the new run, in order; an entry that is sent again has the id of the new
   * message.
   */
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
    if (rows.deadLetter(key)?.run === undefined || old === null) return answer("gone");
    if (old.nextOrdinal !== act.nextOrdinal) return answer("changed");
    const latest = rows.runs.latest(act.run);
    if (latest?.phase === "started") return answer("taken");
    const createdAt = Math.max(act.run.createdAt, (latest?.createdAt ?? 0) + 1);
    const state = stateOf(act, createdAt);
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

function stateOf({ run, entries }: RerunAct, createdAt: number): RunState {
  const { accountId, runId } = run;
  return {
    accountId,
    runId,
    createdAt,
    phase: "started",
    nextOrdinal: (entries.at(-1)?.ordinal ?? -1) + 1,
    bytes: keptBytes(entries),
    storedEvents: 0,
    endedAt: null,
    failure: null,
    run: { ...run, createdAt },
  };
}

/** URLs that the failed run has given away lead to the new run. */
function succeeded(old: RunState, { runId, createdAt }: RunKey): RunState {
  return { ...old, failure: old.failure && { ...old.failure, followedBy: { runId, createdAt } } };
}

function answer(kind: Exclude<Rerun["kind"], "rerun">) {
  return { changes: [], answer: { kind } };
}
