import type { Instant } from "../message/message.ts";
import type { PublishOptions } from "../message/publish-options.ts";

/** A message that is published again whenever a cron expression fires. Its body travels beside it. */
export interface Schedule extends ScheduleKey, ScheduleSettings {
  readonly createdAt: Instant;
  readonly isPaused: boolean;
  /** When it fires next; null for never again. */
  readonly nextAt: Instant | null;
  /** When it last made messages. */
  readonly lastAt?: Instant | undefined;
  /** What the last tick made. */
  readonly lastMessageIds?: readonly string[] | undefined;
  /** Why the last tick made nothing. */
  readonly error?: string | undefined;
  /** The latest ticks that were passed over, since nobody was there when they were due. */
  readonly skipped?: SkippedTicks | undefined;
}

/** What a user says of a schedule, as a whole. */
export interface ScheduleSettings {
  readonly cron: string;
  /** A URL, or the name of a URL group. */
  readonly destination: string;
  readonly queueName?: string | undefined;
  /** What each message is made with. */
  readonly options: PublishOptions;
  readonly callerIp: string;
  /** Drawn anew whenever the settings are replaced, so that a tick made of older ones is void. */
  readonly version: string;
}

export interface ScheduleKey {
  readonly accountId: string;
  readonly scheduleId: string;
}

/** Ticks that made no message, as one record. */
export interface SkippedTicks {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** Counted up to SKIPPED_COUNTED_MAX. */
  readonly count: number;
}
