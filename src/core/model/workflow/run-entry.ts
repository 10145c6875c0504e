import type { Instant } from "../message/message.ts";
import type { RunKey } from "./run.ts";

/** One line of a run's history. Its place is fixed when it is added, and never changes. */
export interface RunEntry extends RunKey {
  readonly ordinal: number;
  readonly kind: EntryKind;
  /** The message that was made with it. */
  readonly messageId: string;
  /** What must happen once in the run; see step.ts. */
  readonly stepKey: string | null;
  readonly at: Instant;
  readonly body: Uint8Array;
}

/**
 * What an entry holds: the payload of the run, or the JSON of a step. Plans and results are what
 * an endpoint replays; the others tell what a step is waiting for. A hook holds nothing: its key is
 * the id of a webhook that the workflow has created.
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

/** As the clients call it. */
export type CallType = "step" | "toCallback" | "fromCallback";

export function callTypeOf(kind: EntryKind): CallType {
  if (kind === "call") return "toCallback";
  return kind === "call-result" ? "fromCallback" : "step";
}

/** Whether an entry is part of what is delivered. */
export function isReplayed(kind: EntryKind): boolean {
  return kind === "payload" || kind === "plan" || kind === "result";
}
