import type { Change, NewMessage } from "../../change.ts";
import type { Account } from "../../model/account/account.ts";
import {
  lineKind,
  type LineLimits,
  type Room,
  roomOf,
  unsetLimits,
  windowAfter,
  type LineKey,
  type LineSnapshot,
} from "../../model/line/line.ts";
import type { Message, MessageState } from "../../model/message/message.ts";
import type { Instant } from "../../model/time.ts";
import type { Rows } from "../../rule.ts";
import { FIRST_FENCE } from "./compose-message.ts";
import { settingOnceUsed } from "../line/lines.ts";

export interface PublishItem {
  readonly message: NewMessage;
  readonly deduplication: { readonly key: string; readonly expiresAt: Instant } | null;
  /** The node with a free slot for it, to which it is leased if its queue and its key have room. */
  readonly nodeId?: string | undefined;
}

/**
 * Whether the account lets a new message be stored already leased to a node, and so be sent without a
 * claim. Only claims count an account's parallelism, and a halted account sends nothing.
 */
export function mayLeaseAtOnce({
  limits,
  isHalted,
}: Pick<Account, "limits" | "isHalted">): boolean {
  return limits.parallelismMax === null && !isHalted;
}

/** Whether a new message waits for no delay. */
export function isDueAtOnce({ notBefore, createdAt }: Message): boolean {
  return notBefore <= createdAt;
}

/** Whether a run lets its message be sent without a claim. Claims alone count its key. */
export function mayLeaseRunMessage(message: Message): boolean {
  return isDueAtOnce(message) && message.settings.flowControl === undefined;
}

/** The queue and the flow-control key of a message, in this order. */
export function limitedLines({ accountId, line, lineAfter }: MessageState): LineKey[] {
  const lines = lineAfter === null ? [line] : [line, lineAfter];
  return lines.filter(isLimited).map((each) => ({ accountId, line: each }));
}

/** A message that is stored leased, and the changes of its lines. */
export interface LeasedAtPublish {
  readonly message: NewMessage;
  readonly changes: readonly Change[];
}

/**
 * Leases new messages at once when their queue and key have room and no earlier message waits in
 * them. Of several messages in one act only the first of a line is leased, since the loaded rows do
 * not count it yet.
 */
export class ImmediateLease {
  readonly #rows: Rows;
  readonly #used = new Set<string>();

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Null when the message has to wait, or has no queue and no key. */
  of({ message, nodeId }: PublishItem): LeasedAtPublish | null {
    const lines = limitedLines(message.state);
    const isFirst = !lines.some(({ line }) => this.#used.has(line));
    for (const { line } of lines) this.#used.add(line);
    return nodeId !== undefined && isFirst
      ? leaseAtPublish(message, nodeId, lines, this.#rows)
      : null;
  }
}

function leaseAtPublish(
  message: NewMessage,
  nodeId: string,
  lines: readonly LineKey[],
  rows: Rows,
): LeasedAtPublish | null {
  const { state, createdAt: at } = message;
  if (state.readyAt > at) return null;
  const changes: Change[] = [];
  for (const key of lines) {
    const passage = startIn(key, message, rows, at);
    if (passage === null) return null;
    changes.push(passage);
  }
  const lease = { phase: "active", fence: FIRST_FENCE, nodeId, leasedAt: at } as const;
  const passed = { ...state, ...lease, ...pastQueue(state) };
  return { message: { ...message, state: passed }, changes };
}

function pastQueue({ line, lineAfter }: MessageState) {
  return lineAfter === null ? {} : { line: lineAfter, lineAfter: null, queue: line };
}

function startIn(
  { accountId, line }: LineKey,
  { uses = [] }: NewMessage,
  rows: Rows,
  at: Instant,
): Change | null {
  const snapshot = rows.line({ accountId, line });
  if (snapshot === null || isAwaited(snapshot, at)) return null;
  const used = uses.find((each) => each.line === line);
  const once = used ? settingOnceUsed(snapshot.setting, used, at) : null;
  const limits = (once ?? snapshot.setting)?.limits ?? unsetLimits(line);
  const room = roomOf(limits, snapshot.running ?? UNUSED, snapshot.held, at);
  if (room.count === 0) return null;
  return { type: "line.started", accountId, line, window: windowOnceStarted(limits, room) };
}

/** Whether a message in the line is ready, waited for a slot, or is about to be claimed. */
function isAwaited({ running, nextReadyAt }: LineSnapshot, at: Instant): boolean {
  if (nextReadyAt !== null && nextReadyAt <= at) return true;
  if (running === null) return false;
  return running.nextAt === null ? !running.emptied : running.nextAt <= at;
}

/** Starts are counted only under a rate limit. */
function windowOnceStarted({ rate }: LineLimits, room: Room) {
  if (rate === null) return null;
  const { windowStartedAt: startedAt, windowStarts: starts } = windowAfter(room, 1);
  return { startedAt, starts };
}

function isLimited(line: string): boolean {
  const kind = lineKind(line);
  return kind === "queue" || kind === "key";
}

const UNUSED = { nextAt: null, windowStartedAt: 0, windowStarts: 0, emptied: true };
