import type { Instant } from "../time.ts";
import type { PublishOptions } from "../message/publish-options.ts";

/** A message that is published each time a cron expression fires. Its body is stored separately. */
export interface Schedule extends ScheduleKey, ScheduleSettings {
  readonly createdAt: Instant;
  readonly isPaused: boolean;
  /** When it fires next; null for never. */
  readonly nextAt: Instant | null;
  /** When it last published messages. */
  readonly lastAt?: Instant | undefined;
  readonly lastMessageIds?: readonly string[] | undefined;
  /** Why the last tick published nothing. */
  readonly error?: string | undefined;
  /** The latest ticks that were skipped because no node ran when they were due. */
  readonly skipped?: SkippedTicks | undefined;
  /** The latest, the newest first. */
  readonly lastTicks?: readonly PastTick[] | undefined;
}

/** A tick that has published messages or could not, or ticks that were skipped. */
export interface PastTick {
  readonly at: Instant;
  /** The first of its messages. */
  readonly messageIds?: readonly string[] | undefined;
  /** How many messages it has published, when there are more. */
  readonly messageCount?: number | undefined;
  readonly error?: string | undefined;
  /** How many ticks were skipped, of which this is the last. */
  readonly skippedCount?: number | undefined;
}

export interface ScheduleSettings {
  readonly cron: string;
  /** A URL, or the name of a URL group. */
  readonly destination: string;
  readonly queueName?: string | undefined;
  /** The settings of each message. */
  readonly options: PublishOptions;
  readonly callerIp: string;
  /** Generated anew when the settings are replaced, so that a tick made from older ones is void. */
  readonly version: string;
}

export interface ScheduleKey {
  readonly accountId: string;
  readonly scheduleId: string;
}

/** Ticks that published nothing, as one record. */
export interface SkippedTicks {
  readonly firstAt: Instant;
  readonly lastAt: Instant;
  /** Counted up to SKIPPED_COUNTED_MAX. */
  readonly count: number;
}
