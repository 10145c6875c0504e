import type { Instant } from "./message.ts";
import type { PublishOptions } from "./publish-options.ts";

/** A message that is published again whenever a cron expression fires. Its body travels beside it. */
export interface Schedule extends ScheduleKey {
  readonly cron: string;
  /** A URL, or the name of a URL group. */
  readonly destination: string;
  readonly queueName?: string | undefined;
  /** What each message is made with. */
  readonly options: PublishOptions;
  readonly callerIp: string;
  readonly createdAt: Instant;
  readonly isPaused: boolean;
  /** Grows with every change of its settings, so that a tick made of older ones is void. */
  readonly version: number;
  /** When it fires next; null for never again. */
  readonly nextAt: Instant | null;
  readonly lastAt?: Instant | undefined;
  /** What the last tick made. */
  readonly lastMessageIds?: readonly string[] | undefined;
}

export interface ScheduleKey {
  readonly accountId: string;
  readonly scheduleId: string;
}
