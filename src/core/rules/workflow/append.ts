import { type Refused, excess, grow } from "./run-entries.ts";
import type { PartMapper, Rows, Rule } from "../../rule.ts";
import type { Change } from "../../change.ts";
import {
  hookKey,
  isActive,
  type RunState,
  type RunRef,
  type EntryKind,
} from "../../model/workflow/run.ts";
import { type Submitted, addRunMessage } from "./run-message.ts";
import type { Message } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";

export interface AppendItem {
  readonly kind: Extract<EntryKind, "plan" | "result" | "call">;
  readonly stepKey: string;
  /** The event id of the webhook that the step has created. */
  readonly hookId?: string | undefined;
  /** The JSON of the step. */
  readonly body: Uint8Array;
  /** The body of a call; empty for steps, which send the entries of the run. */
  readonly callBody: Uint8Array;
  readonly requested: Message;
  readonly nodeId: string | null;
}

export interface AppendAct {
  readonly rule: "append";
  readonly at: Instant;
  readonly ref: RunRef;
  readonly items: readonly AppendItem[];
}

export type AppendAnswer =
  | { readonly kind: "appended"; readonly items: readonly Submitted[] }
  | Refused;

/**
 * Adds the entries that an endpoint has submitted: results, plans of parallel steps, and calls. All
 * of them, or none. A repeated submission gets the id of the first.
 */
export const append: Rule<AppendAct, AppendAnswer> = {
  needs: ({ ref, items }) => ({
    runs: [{ ref, stepKeys: items.flatMap(keysOf) }],
  }),
  decide: ({ ref, items, at }, rows) => {
    const found = rows.runs.find(ref);
    if (!isActive(found)) return { changes: [], answer: { kind: "ended" } };
    let state: RunState = found;
    const changes: Change[] = [];
    const answers: Submitted[] = [];
    const takenHere = new Map<string, string>();
    const isKnown = (key: string): boolean => rows.runs.firstOf(found, key) !== null;
    for (const item of items) {
      const firstId = takenHere.get(item.stepKey) ?? firstOf(rows, state, item);
      if (firstId !== null) {
        answers.push({ messageId: firstId, deduplicated: true, leased: false });
        continue;
      }
      const added = add(state, item, at);
      const hooked = addHook(added.state, item, at, (key) => takenHere.has(key) || isKnown(key));
      state = hooked.state;
      changes.push(...added.changes, ...hooked.changes);
      answers.push(added.answer);
      for (const key of keysOf(item)) takenHere.set(key, item.requested.messageId);
    }
    const what = excess(state);
    if (what !== null) return { changes: [], answer: { kind: "too-much", what } };
    if (changes.length > 0) changes.unshift({ type: "run.changed", run: state });
    return { changes, answer: { kind: "appended", items: answers } };
  },
  mapParts: (act, map) => ({ ...act, items: mapItems(act.items, map) }),
};

function keysOf({ stepKey, hookId }: AppendItem): string[] {
  return hookId === undefined ? [stepKey] : [stepKey, hookKey(hookId)];
}

function firstOf(rows: Rows, state: RunState, { stepKey }: AppendItem): string | null {
  return rows.runs.firstOf(state, stepKey);
}

function add(before: RunState, item: AppendItem, at: number) {
  const { kind, stepKey, body, callBody, requested, nodeId } = item;
  const { messageId } = requested;
  const { state, ordinal, change } = grow(before, { kind, messageId, stepKey, at, body });
  const added = addRunMessage(
    state,
    kind === "call"
      ? { kind, requested, ordinal, body: callBody, nodeId }
      : { kind: "step", requested, ordinal, nodeId },
  );
  const { leased, facts } = added;
  const answer: Submitted = { messageId, deduplicated: false, leased, facts };
  return { state, changes: [change, ...added.changes], answer };
}

/** From now on the run accepts calls to the webhook that the step has created. */
function addHook(
  before: RunState,
  { hookId }: AppendItem,
  at: number,
  isKnown: (key: string) => boolean,
): { readonly state: RunState; readonly changes: readonly Change[] } {
  const stepKey = hookId === undefined ? null : hookKey(hookId);
  if (stepKey === null || isKnown(stepKey)) return { state: before, changes: [] };
  const { state, change } = grow(before, {
    kind: "hook",
    messageId: "",
    stepKey,
    at,
    body: NOTHING,
  });
  return { state, changes: [change] };
}

const NOTHING = new Uint8Array(0);

export function mapItems(items: readonly AppendItem[], map: PartMapper): AppendItem[] {
  return items.map((item) => ({
    ...item,
    body: map.body(item.body),
    callBody: map.body(item.callBody),
  }));
}
