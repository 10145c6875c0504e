import type { Message, MessageState } from "../message/message.ts";
import type { Instant } from "../time.ts";

/**
 * A waiting message is in exactly one line: its queue until it is admitted, then its flow-control
 * key, else its destination host. A host has a second line for retries, so that a dead destination
 * never holds up first attempts. The first letter of a line's name is its kind.
 */
export type LineKind = "queue" | "key" | "host" | "retry";

const KINDS: Readonly<Record<string, LineKind>> = { q: "queue", k: "key", h: "host", r: "retry" };

/** The prefix of the names of all lines of a kind. */
export const QUEUE_PREFIX = "q:";
export const KEY_PREFIX = "k:";

export const queueLine = (name: string): string => QUEUE_PREFIX + name;
export const keyLine = (key: string): string => KEY_PREFIX + key;
export const hostLine = (host: string): string => `h:${host}`;
export const retryLine = (host: string): string => `r:${host}`;

export function lineKind(line: string): LineKind {
  return KINDS[line.charAt(0)] ?? "host";
}

/** The name by which users know the line. */
export const lineName = (line: string): string => line.slice(2);

/** The line of a new message, and its line once its queue has admitted it. */
export function linesOf(
  { queueName, settings }: Pick<Message, "queueName" | "settings">,
  host: string,
): { line: string; lineAfter: string | null } {
  const { flowControl } = settings;
  const open = flowControl ? keyLine(flowControl.key) : hostLine(host);
  return queueName === undefined
    ? { line: open, lineAfter: null }
    : { line: queueLine(queueName), lineAfter: open };
}

/** The line of a message that waits for its next attempt. Keys keep theirs; hosts do not. */
export function lineForRetry(line: string, host: string): string {
  return lineKind(line) === "key" ? line : retryLine(host);
}

/** The limits set by a publisher or an operator; stored separately from the running state. */
export interface LineLimits {
  readonly parallelism: number | null;
  readonly rate: number | null;
  readonly periodMs: number;
  readonly paused: boolean;
  /** The deliveries of its account wait. */
  readonly halted?: boolean;
}

/** The state of a line that claims keep. */
export interface LineRunning {
  /** When a claim visits it; null when only a settlement or a publisher can make it due. */
  readonly nextAt: Instant | null;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
  /** It was empty at the last visit, so no message waits for a slot in it. */
  readonly emptied: boolean;
}

export const UNLIMITED: LineLimits = {
  parallelism: null,
  rate: null,
  periodMs: 1000,
  paused: false,
};
export const QUEUE_DEFAULT: LineLimits = { ...UNLIMITED, parallelism: 1 };

export function unsetLimits(line: string): LineLimits {
  return lineKind(line) === "queue" ? QUEUE_DEFAULT : UNLIMITED;
}

export interface Room {
  /** How many messages may start now. */
  readonly count: number;
  /** When a full line gets room by itself; null when a settlement or an operator must free it. */
  readonly opensAt: Instant | null;
  /** The rate window in force. */
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
}

/** How many more messages a line allows, given how many it holds. Pure, so both drivers agree. */
export function roomOf(limits: LineLimits, running: LineRunning, held: number, now: Instant): Room {
  // One that begins a little later was begun for a message that came after this one. Further in the
  // future it was begun before the clock stepped back, and is over.
  const over = Math.abs(now - running.windowStartedAt) >= limits.periodMs;
  const windowStartedAt = over ? now : running.windowStartedAt;
  const windowStarts = over ? 0 : running.windowStarts;
  const window = { windowStartedAt, windowStarts };
  // Resuming an account makes its lines due; a line that it missed is found by this visit.
  if (limits.halted === true) return { count: 0, opensAt: now + HALTED_VISIT_MS, ...window };
  if (limits.paused) return { count: 0, opensAt: null, ...window };
  const byParallelism = limits.parallelism === null ? Infinity : limits.parallelism - held;
  const byRate = limits.rate === null ? Infinity : limits.rate - windowStarts;
  const count = Math.max(0, Math.min(byParallelism, byRate));
  const opensAt = byRate < byParallelism ? windowStartedAt + limits.periodMs : null;
  return { count, opensAt, ...window };
}

/** The rate window once messages have started in it. */
export function windowAfter(
  { windowStartedAt, windowStarts }: Room,
  started: number,
): Pick<LineRunning, "windowStartedAt" | "windowStarts"> {
  return { windowStartedAt, windowStarts: windowStarts + started };
}

export interface LineVisit {
  readonly now: Instant;
  readonly room: Room;
  readonly took: number;
  /** Messages were skipped because their host is full on this node. */
  readonly passedOver: boolean;
  /** When the first message left behind becomes ready; null when none is left. */
  readonly nextReadyAt: Instant | null;
}

const HALTED_VISIT_MS = 600_000;
const SKIPPED_VISIT_MS = 100;

export type NextVisit = Pick<LineRunning, "nextAt" | "emptied">;

export function nextVisit(visit: LineVisit): NextVisit {
  const { now, room } = visit;
  if (visit.nextReadyAt === null) return { nextAt: null, emptied: true };
  if (visit.took >= room.count) return { nextAt: room.opensAt, emptied: false };
  if (visit.passedOver) return { nextAt: now + SKIPPED_VISIT_MS, emptied: false };
  return { nextAt: Math.max(now, visit.nextReadyAt), emptied: false };
}

/** Whether nothing of a line is worth keeping; a key keeps its rate window. */
export function isForgotten(line: string, { nextAt, emptied }: NextVisit): boolean {
  return nextAt === null && emptied && lineKind(line) !== "key";
}

/** The setting of a queue or a flow-control key. Its running state is stored separately. */
export interface LineSetting extends LineKey {
  readonly limits: LineLimits;
  /** A pinned limit is not changed by publishing. */
  readonly isParallelismPinned: boolean;
  readonly isRatePinned: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface LineKey {
  readonly accountId: string;
  readonly line: string;
}

/** Changes to a line's setting; fields that are absent stay unchanged. */
export type LinePatch = Partial<
  LineLimits & Pick<LineSetting, "isParallelismPinned" | "isRatePinned">
>;

/**
 * A line that a message is published into, and the limits its publisher asks for. A queue is
 * created by its first message and not changed by later ones; a flow-control key follows its newest
 * message, where it is not pinned.
 */
export interface UsedLine extends LineKey {
  readonly limits: LineLimits;
}

/** The limits that publishers asked for in a line, in order of publishing. */
export interface LineUses extends LineKey {
  readonly asked: readonly { readonly limits: LineLimits; readonly at: Instant }[];
}

/** The current use of a line. Counting stops at WAITING_COUNTED_MAX; in a list, lines share a lower limit. */
export interface LineStatus {
  /** In a queue, all messages that wait to be admitted; under a key, those that are due. */
  readonly waiting: number;
  /** Attempts in progress; in a queue, admitted messages that have not ended. */
  readonly held: number;
  readonly windowStartedAt: Instant;
  readonly windowStarts: number;
}

export interface LineReport {
  readonly setting: LineSetting;
  readonly status: LineStatus;
}

export const WAITING_COUNTED_MAX = 1_000_000;

/** A line as a rule sees it that may lease a new message at once, without adding it to the line. */
export interface LineSnapshot {
  /** Null when the line has no setting. */
  readonly setting: LineSetting | null;
  /** Null when no message has waited in the line. */
  readonly running: LineRunning | null;
  /** Messages that hold its slots. */
  readonly held: number;
  /** When the first waiting message is ready; null when none waits. */
  readonly nextReadyAt: Instant | null;
}

/** What a rule sees of a queue from which it may lease a message that waits. */
export interface QueueHead {
  readonly state: MessageState;
  /** Whether no message waits in its next line. */
  readonly isDirect: boolean;
  readonly limits: LineLimits;
  /** Messages that hold the slots of the queue, with those that end in this group. */
  readonly held: number;
}

/** A rate window, and how many messages have started in it. */
export interface RateWindow {
  readonly startedAt: Instant;
  readonly starts: number;
}
