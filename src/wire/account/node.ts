import type { Json } from "../message/message.ts";

/** What the operator is shown of a node. */
export interface ShownNode {
  readonly nodeId: string;
  readonly version: string;
  readonly startedAt: number;
  readonly slotsUsed: number;
  readonly slotsMax: number;
  readonly isPaused: boolean;
}

export function nodeJson({ isPaused, ...node }: ShownNode, silentMs: number): Json {
  return {
    ...node,
    paused: isPaused,
    silentMs: Math.max(0, silentMs),
    live: silentMs < SILENT_MS_MAX,
  };
}

/** Other nodes take over from one that is silent for as long. */
const SILENT_MS_MAX = 20_000;
