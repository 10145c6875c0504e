/**
 * The acts of every message as lists of values. Each group has one of both for each message, and
 * half of their text would be names.
 */

import type { PublishAct } from "../../../core/rules/message/publish.ts";
import type { SettleAct } from "../../../core/rules/message/settlement.ts";
import type { PublishItem } from "../../../core/rules/message/immediate-lease.ts";
import type { PartMapper } from "../../../core/rule.ts";
import type { NewMessage } from "../../../core/change.ts";
import type { MessageState } from "../../../core/model/message/message.ts";

export type PackedPublish = readonly ["publish", at: number, ...items: PackedItem[]];

type PackedItem = readonly [
  state: PackedState,
  facts: string,
  body: Uint8Array,
  createdAt: number,
  sourceId: string | null,
  uses: NonNullable<NewMessage["uses"]> | null,
  deduplication: PublishItem["deduplication"],
  nodeId: string | null,
];

type PackedState = readonly [
  accountId: string,
  messageId: string,
  isActive: boolean,
  attempts: number,
  readyAt: number,
  line: string,
  lineAfter: string | null,
  host: string,
  bytes: number,
  fence: number,
  nodeId: string | null,
  leasedAt: number | null,
  losses: number,
  cancelRequested: boolean,
  rootId: string | null,
  queue: string | null,
  run: MessageState["run"],
];

export function packPublish({ at, items }: PublishAct, map: PartMapper): PackedPublish {
  return ["publish", at, ...items.map((item) => packItem(item, map))];
}

export function unpackPublish([, at, ...items]: PackedPublish, map: PartMapper): PublishAct {
  return { rule: "publish", at, items: items.map((item) => unpackItem(item, map)) };
}

function packItem({ message, deduplication, nodeId }: PublishItem, map: PartMapper): PackedItem {
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
  ];
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

function packState(state: MessageState): PackedState {
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
  ];
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

export type PackedSettle = readonly [
  "settle",
  at: number,
  accountId: string,
  messageId: string,
  fence: number,
  verdict: SettleAct["verdict"],
  number: number,
  startedAt: number,
  endedAt: number,
  status: number,
  error: string | null,
  headers: string,
  body: Uint8Array,
  nodeId: string | null,
];

/** Null for a settlement from which something may follow: it carries the message. */
export function packSettle(act: SettleAct, map: PartMapper): PackedSettle | null {
  const { at, lease, verdict, attempt, source } = act;
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
  ];
}

export function unpackSettle(packed: PackedSettle, map: PartMapper): SettleAct {
  const [, at, accountId, messageId, fence, verdict, number, startedAt, endedAt, ...rest] = packed;
  const [status, error, headers, body, nodeId] = rest;
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
  };
}
