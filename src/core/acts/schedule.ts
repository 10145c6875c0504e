import type { NewMessage } from "../change.ts";
import type { Instant } from "../model/time.ts";
import type { ScheduleKey, ScheduleSettings, SkippedTicks } from "../model/schedule/schedule.ts";

/** Acts on schedules. */
export type ScheduleAct = PutScheduleAct | RemoveScheduleAct | PauseScheduleAct | TickAct;

/** Creates a schedule, or replaces the settings of the one with that id. */
export interface PutScheduleAct {
  readonly rule: "put-schedule";
  readonly at: Instant;
  readonly key: ScheduleKey;
  readonly settings: ScheduleSettings;
  readonly body: Uint8Array;
}

export interface RemoveScheduleAct {
  readonly rule: "remove-schedule";
  readonly key: ScheduleKey;
}

/** Pauses or resumes. */
export interface PauseScheduleAct {
  readonly rule: "pause-schedule";
  readonly at: Instant;
  readonly key: ScheduleKey;
  readonly isPaused: boolean;
}

/** Fires due schedules, each at most once. */
export interface TickAct {
  readonly rule: "tick";
  readonly at: Instant;
  /** Of different schedules. */
  readonly ticks: readonly Tick[];
}

export interface Tick extends ScheduleKey {
  /**
   * The version of the schedule as it was read; the tick is void when its version or its next
   * instant has changed.
   */
  readonly version: string;
  readonly dueAt: Instant;
  /** The instant after this tick. */
  readonly nextAt: Instant | null;
  /** Null when only the next instant changes. */
  readonly fired: FiredTick | null;
}

export interface FiredTick {
  readonly messages: readonly NewMessage[];
  /** Earlier ticks that publish nothing. */
  readonly skipped?: SkippedTicks | undefined;
  /** Why there are no messages. */
  readonly error?: string | undefined;
}

export interface ScheduleAnswers {
  /** The limit that refuses the schedule, if any. */
  readonly "put-schedule": { readonly limit: number | null };
  /** Whether the schedule existed. */
  readonly "remove-schedule": boolean;
  readonly "pause-schedule": boolean;
  readonly tick: readonly TickAnswer[];
}

/**
 * Passed: the schedule was paused or published nothing. Void: another node fired the tick first.
 */
export type TickAnswer = "fired" | "passed" | "void";
