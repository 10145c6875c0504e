/** The plans and limits of the server, in words. A test holds them to the server's own tables. */
import { bytesText, durationText } from "../app/format.ts";

export const PLANS = ["free", "paid", "svc_fixed_1m", "svc_fixed_10m", "svc_fixed_100m"] as const;

export interface LimitRow {
  /** In the record of an account. */
  readonly name: string;
  readonly words: string;
  /** An account may be without it. */
  readonly mayBeNone?: boolean;
  /** How a value is said, where it is not a count. */
  readonly text?: (value: number) => string;
  /** The unit in which a value is given. */
  readonly hint?: string;
}

const seconds = { text: (value: number) => durationText(value * 1_000), hint: "in seconds" };
const bytes = { text: bytesText, hint: "in bytes" };

export const LIMITS: readonly LimitRow[] = [
  { name: "max_requests_per_day", words: "Messages a day, as agreed", mayBeNone: true },
  { name: "max_requests_per_day_hard", words: "Messages a day, refused past it", mayBeNone: true },
  { name: "max_requests_per_second", words: "Other requests a second, per node", mayBeNone: true },
  { name: "max_global_parallelism", words: "Attempts in flight", mayBeNone: true },
  { name: "max_message_size", words: "Body of a message", ...bytes },
  { name: "max_topics", words: "URL groups" },
  { name: "max_endpoints_per_topic", words: "Endpoints of a URL group" },
  { name: "max_queues", words: "Queues" },
  { name: "max_parallelism", words: "Slots of a queue", mayBeNone: true },
  { name: "max_schedules", words: "Schedules" },
  { name: "max_streams", words: "Live streams" },
  { name: "max_retries", words: "Retries of a message, at most" },
  { name: "default_retries", words: "Retries of a message, if not set" },
  { name: "max_delay", words: "Delay of a message", ...seconds },
  { name: "timeout", words: "Time of one attempt", ...seconds },
  { name: "max_dlq_size", words: "Dead letters", mayBeNone: true },
  {
    name: "max_dlq_retention_time_milis",
    words: "Dead letters are kept for",
    text: durationText,
    hint: "in milliseconds",
  },
  {
    name: "retention",
    words: "Log and ended messages are kept for",
    text: (days) => durationText(days * 86_400_000),
    hint: "in days",
  },
  { name: "max_events_size", words: "Body in the log", ...bytes },
];
