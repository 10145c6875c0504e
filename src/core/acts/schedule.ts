import type { NewMessage } from "../change.ts";
import type { Instant } from "../model/message/message.ts";
import type { ScheduleKey, ScheduleSettings, SkippedTicks } from "../model/schedule/schedule.ts";

/** What can be done to a schedule. */
export type ScheduleAct = PutScheduleAct | RemoveScheduleAct | PauseScheduleAct | TickAct;

/** Makes a schedule, or replaces the settings of the one with that id. */
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

/** Lets schedules that are due fire, each at most once. */
export interface TickAct {
  readonly rule: "tick";
  readonly at: Instant;
  /** Of different schedules. */
  readonly ticks: readonly Tick[];
}

export interface Tick extends ScheduleKey {
  /** The schedule as it was read; with other settings or another next instant the tick is void. */
  readonly version: string;
  readonly dueAt: Instant;
  /** The instant after. */
  readonly nextAt: Instant | null;
  /** Null when it only moves on. */
  readonly fired: FiredTick | null;
}

export interface FiredTick {
  readonly messages: readonly NewMessage[];
  /** Earlier ticks for which none is made. */
  readonly skipped?: SkippedTicks | undefined;
  /** Why there are no messages. */
  readonly error?: string | undefined;
}

export interface ScheduleAnswers {
  /** The limit that stands against it, if any. */
  readonly "put-schedule": { readonly limit: number | null };
  /** Whether it was there. */
  readonly "remove-schedule": boolean;
  readonly "pause-schedule": boolean;
  readonly tick: readonly TickAnswer[];
}

/** Passed: it was paused, or had nothing to make. Void: somebody else was first. */
export type TickAnswer = "fired" | "passed" | "void";
