import type { Change } from "../change.ts";
import { isActive, type RunState } from "../model/run.ts";
import type { Rows, Rule } from "../rule.ts";
import type { AppendAct, AppendItem, Submitted } from "../acts/runs.ts";
import { excess, grow } from "./run-entries.ts";
import { mail } from "./run-message.ts";

/**
 * Takes what an endpoint has submitted: results, plans of steps that run side by side, and calls.
 * All of it, or nothing. What was submitted before is answered with the id of the first.
 */
export const append: Rule<AppendAct> = {
  needs: ({ ref, items }) => ({
    runs: [{ ref, stepKeys: items.map(({ stepKey }) => stepKey) }],
  }),
  decide: ({ ref, items, at }, rows) => {
    const found = rows.runs.find(ref);
    if (!isActive(found)) return { changes: [], answer: { kind: "ended" } };
    let state: RunState = found;
    const changes: Change[] = [];
    const answers: Submitted[] = [];
    const takenHere = new Map<string, string>();
    for (const item of items) {
      const firstId = takenHere.get(item.stepKey) ?? firstOf(rows, state, item);
      if (firstId !== null) {
        answers.push({ messageId: firstId, deduplicated: true, leased: false });
        continue;
      }
      const added = add(state, item, at);
      state = added.state;
      changes.push(...added.changes);
      answers.push(added.answer);
      takenHere.set(item.stepKey, item.own.messageId);
    }
    const what = excess(state);
    if (what !== null) return { changes: [], answer: { kind: "too-much", what } };
    if (changes.length > 0) changes.unshift({ type: "run.changed", run: state });
    return { changes, answer: { kind: "appended", items: answers } };
  },
};

function firstOf(rows: Rows, state: RunState, { stepKey }: AppendItem): string | null {
  return rows.runs.firstOf(state, stepKey);
}

function add(before: RunState, item: AppendItem, at: number) {
  const { kind, stepKey, body, callBody, own, nodeId } = item;
  const { messageId } = own;
  const { state, ordinal, change } = grow(before, { kind, messageId, stepKey, at, body });
  const mailed = mail(
    state,
    kind === "call"
      ? { kind, own, ordinal, body: callBody, nodeId }
      : { kind: "step", own, ordinal, nodeId },
  );
  const { leased, facts } = mailed;
  const answer: Submitted = { messageId, deduplicated: false, leased, facts };
  return { state, changes: [change, ...mailed.changes], answer };
}
