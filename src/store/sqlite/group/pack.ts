import { type Act, mapParts } from "../../../core/rules/registry.ts";
import type { PublishAct } from "../../../core/rules/message/publish.ts";
import type { SettleAct } from "../../../core/rules/message/settlement.ts";
import type { PublishItem } from "../../../core/rules/message/immediate-lease.ts";
import type { PartMapper } from "../../../core/rule.ts";
import type { MessageState } from "../../../core/model/message/message.ts";

/** A group of acts as it is sent to another thread. */
export interface PackedActs {
  readonly text: string;
  /** The facts of new messages apart: they are text already, and quoting them again is slow. */
  readonly facts: string[];
  /** The bodies side by side, to be transferred instead of copied. */
  readonly bodies: ArrayBuffer;
}

/** A body in a packed act. */
type Range = readonly [at: number, length: number];

/** The two acts of every message as lists of values; any other act as it is. */
type PackedAct = PackedPublish | PackedSettle | Act;

/**
 * Text crosses threads far faster than objects, and bodies are transferred in one buffer: cloning a
 * small body would copy the whole slab it was cut from.
 */
export function packActs(acts: readonly Act[]): PackedActs {
  const bodies: Uint8Array[] = [];
  const facts: string[] = [];
  let size = 0;
  const map = {
    facts: (text: string): unknown => facts.push(text) - 1,
    body: (body: Uint8Array): unknown => {
      if (body.byteLength === 0) return NOTHING;
      bodies.push(body);
      size += body.byteLength;
      return [size - body.byteLength, body.byteLength] satisfies Range;
    },
  } as PartMapper;
  const text = JSON.stringify(acts.map((act) => packAct(act, map)));
  return { text, facts, bodies: joined(bodies, size) };
}

export function unpackActs({ text, facts, bodies }: PackedActs): Act[] {
  const map = {
    facts: (index: unknown) => facts[index as number],
    body: (range: unknown) => new Uint8Array(bodies, ...(range as Range)),
  } as PartMapper;
  return (JSON.parse(text) as PackedAct[]).map((packed) => unpackAct(packed, map));
}

function packAct(act: Act, map: PartMapper): PackedAct {
  if (act.rule === "publish") return packPublish(act, map);
  if (act.rule === "settle") return packSettle(act, map) ?? mapParts(act, map);
  return mapParts(act, map);
}

function unpackAct(packed: PackedAct, map: PartMapper): Act {
  if ("rule" in packed) return mapParts(packed, map);
  return packed[0] === "publish" ? unpackPublish(packed, map) : unpackSettle(packed, map);
}

function joined(bodies: readonly Uint8Array[], size: number): ArrayBuffer {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const body of bodies) {
    whole.set(body, at);
    at += body.byteLength;
  }
  return whole.buffer;
}

const NOTHING: Range = [0, 0];

// The two acts of every message as lists of values: each group has one of both for each message, and
// half of their text would be names.

type PackedPublish = readonly ["publish", at: number, ...items: PackedItem[]];

type PackedItem = ReturnType<typeof packItem>;
type PackedState = ReturnType<typeof packState>;
type PackedSettle = NonNullable<ReturnType<typeof packSettle>>;

function packPublish({ at, items }: PublishAct, map: PartMapper): PackedPublish {
  return ["publish", at, ...items.map((item) => packItem(item, map))];
}

function unpackPublish([, at, ...items]: PackedPublish, map: PartMapper): PublishAct {
  return { rule: "publish", at, items: items.map((item) => unpackItem(item, map)) };
}

function packItem({ message, deduplication, nodeId }: PublishItem, map: PartMapper) {
  const { state, facts, body, createdAt, sourceId, uses } = message;
  return [
    packState(state),
    map.facts(facts),
    map.body(body),
    createdAt,
    sourceId ?? null,
    uses ?? null,
    deduplication,
    nodeId ?? null,
  ] as const;
}

function unpackItem(item: PackedItem, map: PartMapper): PublishItem {
  const [state, facts, body, createdAt, sourceId, uses, deduplication, nodeId] = item;
  return {
    message: {
      state: unpackState(state),
      facts: map.facts(facts),
      body: map.body(body),
      createdAt,
      sourceId: sourceId ?? undefined,
      uses: uses ?? undefined,
    },
    deduplication,
    nodeId: nodeId ?? undefined,
  };
}

function packState(state: MessageState) {
  return [
    state.accountId,
    state.messageId,
    state.phase === "active",
    state.attempts,
    state.readyAt,
    state.line,
    state.lineAfter,
    state.host,
    state.bytes,
    state.fence,
    state.nodeId,
    state.leasedAt,
    state.losses,
    state.cancelRequested,
    state.rootId,
    state.queue,
    state.run,
  ] as const;
}

function unpackState(state: PackedState): MessageState {
  return {
    accountId: state[0],
    messageId: state[1],
    phase: state[2] ? "active" : "waiting",
    attempts: state[3],
    readyAt: state[4],
    line: state[5],
    lineAfter: state[6],
    host: state[7],
    bytes: state[8],
    fence: state[9],
    nodeId: state[10],
    leasedAt: state[11],
    losses: state[12],
    cancelRequested: state[13],
    rootId: state[14],
    queue: state[15],
    run: state[16],
  };
}

/** Null for a settlement from which something may follow: it carries the message. */
function packSettle(act: SettleAct, map: PartMapper) {
  const { at, lease, verdict, attempt, source, next } = act;
  const { accountId, messageId, fence } = lease;
  const isOfLease = attempt.messageId === messageId && attempt.accountId === accountId;
  if (source !== null || !isOfLease) return null;
  return [
    "settle",
    at,
    accountId,
    messageId,
    fence,
    verdict,
    attempt.number,
    attempt.startedAt,
    attempt.endedAt,
    attempt.status,
    attempt.error ?? null,
    attempt.headers,
    map.body(attempt.body),
    attempt.nodeId ?? null,
    next ?? null,
  ] as const;
}

function unpackSettle(packed: PackedSettle, map: PartMapper): SettleAct {
  const [, at, accountId, messageId, fence, verdict, number, startedAt, endedAt, ...rest] = packed;
  const [status, error, headers, body, nodeId, next] = rest;
  return {
    rule: "settle",
    at,
    lease: { accountId, messageId, fence },
    attempt: {
      accountId,
      messageId,
      number,
      startedAt,
      endedAt,
      status,
      error: error ?? undefined,
      headers,
      body: map.body(body),
      nodeId: nodeId ?? undefined,
    },
    verdict,
    source: null,
    next: next ?? undefined,
  };
}
