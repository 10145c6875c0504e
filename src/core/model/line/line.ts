import type { Instant, Message } from "../message/message.ts";

/**
 * A waiting message stands in exactly one line: its queue until it is admitted, then its
 * flow-control key, else its destination host. A host has a second line for retries, so that a
 * dead destination never holds up first attempts. The first letter of a line's name is its kind.
 */
export type LineKind = "queue" | "key" | "host" | "retry";

const KINDS: Readonly<Record<string, LineKind>> = { q: "queue", k: "key", h: "host", r: "retry" };

/** What the names of all lines of a kind begin with. */
export const QUEUE_PREFIX = "q:";
export const KEY_PREFIX = "k:";

export const queueLine = (name: string): string => QUEUE_PREFIX + name;
export const keyLine = (key: string): string => KEY_PREFIX + key;
export const hostLine = (host: string): string => `h:${host}`;
export const retryLine = (host: string): string => `r:${host}`;

export function lineKind(line: string): LineKind {
  return KINDS[line.charAt(0)] ?? "host";
}

/** What the line is called by those who use it. */
export const lineName = (line: string): string => line.slice(2);

/** Where a new message stands, and where it goes when its queue has admitted it. */
export function linesOf(
  message: Pick<Message, "queueName" | "flowControl">,
  host: string,
): { line: string; lineAfter: string | null } {
  const open = message.flowControl ? keyLine(message.flowControl.key) : hostLine(host);
  return message.queueName === undefined
    ? { line: open, lineAfter: null }
    : { line: queueLine(message.queueName), lineAfter: open };
}

/** Where a message stands that waits for its next attempt. Keys keep theirs; hosts do not. */
export function lineForRetry(line: string, host: string): string {
  return lineKind(line) === "key" ? line : retryLine(host);
}

/** What a publisher or an operator has set; kept apart from the running state. */
export interface LineLimits {
  readonly parallelism: number | null;
  readonly rate: number | null;
  readonly periodMs: number;
  readonly paused: boolean;
  /** The deliveries of its account wait. */
  readonly halted?: boolean;
}

/** What a claim remembers of a line. */
export interface LineRunning {
  /** When a claim is to look at it; null when only a settlement or a publisher can open it. */
  readonly nextAt: Instant | null;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
  /** It was empty at the last look, so that nobody waits for room in it. */
  readonly emptied: boolean;
}

export const UNLIMITED: LineLimits = {
  parallelism: null,
  rate: null,
  periodMs: 1000,
  paused: false,
};
export const QUEUE_DEFAULT: LineLimits = { ...UNLIMITED, parallelism: 1 };

export interface Room {
  /** How many messages may pass now. */
  readonly count: number;
  /** When a shut line opens by itself; null when a settlement or an operator must open it. */
  readonly opensAt: Instant | null;
  /** The rate window in force. */
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
}

/** How many a line lets through, given how many it holds. Pure, so both drivers ask the same. */
export function roomOf(limits: LineLimits, running: LineRunning, held: number, now: Instant): Room {
  // A window that begins in the future is one that a clock stepped back from: it is over.
  const over = running.windowStartedAt > now || now >= running.windowStartedAt + limits.periodMs;
  const windowStartedAt = over ? now : running.windowStartedAt;
  const windowStarts = over ? 0 : running.windowStarts;
  const window = { windowStartedAt, windowStarts };
  // Resuming wakes its lines; one that it missed is found by this look.
  if (limits.halted === true) return { count: 0, opensAt: now + HALTED_VISIT_MS, ...window };
  if (limits.paused) return { count: 0, opensAt: null, ...window };
  const byParallelism = limits.parallelism === null ? Infinity : limits.parallelism - held;
  const byRate = limits.rate === null ? Infinity : limits.rate - windowStarts;
  const count = Math.max(0, Math.min(byParallelism, byRate));
  const opensAt = byRate < byParallelism ? windowStartedAt + limits.periodMs : null;
  return { count, opensAt, ...window };
}

export interface LineVisit {
  readonly now: Instant;
  readonly room: Room;
  /** How many this claim asked of the line, at most the room. */
  readonly asked: number;
  readonly took: number;
  /** Some were passed over because their host is full on this node. */
  readonly passedOver: boolean;
  /** When the first message left behind becomes ready; null when none is left. */
  readonly nextReadyAt: Instant | null;
}

const HALTED_VISIT_MS = 600_000;
const SKIPPED_VISIT_MS = 100;

/** When a claim is to look at a line again. */
export function nextVisit(visit: LineVisit): { nextAt: Instant | null; emptied: boolean } {
  const { now, room } = visit;
  if (visit.nextReadyAt === null) return { nextAt: null, emptied: true };
  if (visit.took >= room.count) return { nextAt: room.opensAt, emptied: false };
  if (visit.passedOver) return { nextAt: now + SKIPPED_VISIT_MS, emptied: false };
  return { nextAt: Math.max(now, visit.nextReadyAt), emptied: false };
}
