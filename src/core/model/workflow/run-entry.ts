import type { Instant } from "../time.ts";
import type { RunKey } from "./run.ts";

/** One entry of a run's history. Its ordinal is fixed when it is added, and never changes. */
export interface RunEntry extends RunKey {
  readonly ordinal: number;
  readonly kind: EntryKind;
  /** The message that was created with it. */
  readonly messageId: string;
  /** The key of what may happen once in the run; see step.ts. */
  readonly stepKey: string | null;
  readonly at: Instant;
  readonly body: Uint8Array;
}

/**
 * The content of an entry: the payload of the run, or the JSON of a step. An endpoint replays plans
 * and results; the others record what a step is waiting for. A hook has no content: its key is the
 * id of a webhook that the workflow has created.
 */
export const ENTRY_KINDS = [
  "payload",
  "plan",
  "result",
  "call",
  "call-result",
  "wait",
  "invoke",
  "hook",
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The name that clients use. */
export type CallType = "step" | "toCallback" | "fromCallback";

export function callTypeOf(kind: EntryKind): CallType {
  if (kind === "call") return "toCallback";
  return kind === "call-result" ? "fromCallback" : "step";
}

/** Whether an entry is part of the delivered list. */
export function isReplayed(kind: EntryKind): boolean {
  return kind === "payload" || kind === "plan" || kind === "result";
}
