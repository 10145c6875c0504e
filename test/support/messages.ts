import type { FollowUpSource, SettleAct } from "../../src/core/rules/message/settlement.ts";
import type { PublishAct } from "../../src/core/rules/message/publish.ts";
import type { PublishItem } from "../../src/core/rules/message/immediate-lease.ts";
import type { SetLineAct } from "../../src/core/rules/line/lines.ts";
import type { NewMessage } from "../../src/core/change.ts";
import type { AccountRecord } from "../../src/core/model/account/account.ts";
import type { AttemptRecord } from "../../src/core/model/message/attempt.ts";
import { encodeFacts, nested } from "../../src/core/model/message/settings.ts";
import { linesOf, type LineKey, type LinePatch } from "../../src/core/model/line/line.ts";
import type { Callback, Message, Settings } from "../../src/core/model/message/message.ts";
import { accountOf, type KeptAccount } from "../../src/core/rules/account/accounts.ts";
import { hostOf } from "../../src/core/policy/egress/read-destination.ts";
import type { Verdict } from "../../src/core/rules/message/judge.ts";
import { OWNER_OVERRIDES } from "../../src/core/policy/limits/limits.ts";
import type { LeasedMessage } from "../../src/store/store.ts";

/** When the tests begin, unless they say otherwise. */
export const START_AT = 1_700_000_000_000;

/** What a test says about a message; everything else is filled in. Settings lie beside the rest. */
export interface MessageFields extends Partial<Message & Settings> {}

export interface MessageWish extends MessageFields {
  readonly body?: Uint8Array;
  /** Under way from the start, in the name of this node. */
  readonly leasedBy?: string;
}

export function aMessage({ settings, ...fields }: MessageFields = {}): Message {
  const createdAt = fields.createdAt ?? START_AT;
  return nested<Message>({
    accountId: "account",
    messageId: "message",
    kind: "publish",
    dialect: "svc",
    url: "https://example.test/hook",
    method: "POST",
    headers: [["Content-Type", "text/plain"]],
    timeoutMs: 30_000,
    retries: 3,
    callerIp: "192.0.2.1",
    createdAt,
    notBefore: createdAt,
    ...(fields.queueName === undefined ? {} : { rootId: fields.messageId ?? "message" }),
    ...settings,
    ...fields,
  });
}

export function aNewMessage({
  body = bytes("hello"),
  leasedBy,
  ...fields
}: MessageWish = {}): NewMessage {
  const message = aMessage(fields);
  const { accountId, messageId, createdAt } = message;
  const host = hostOf(message.url);
  const state = {
    accountId,
    messageId,
    phase: "waiting" as const,
    attempts: 0,
    readyAt: message.notBefore,
    ...linesOf(message, host),
    host,
    bytes: body.byteLength,
    fence: 0,
    nodeId: null,
    leasedAt: null,
    losses: 0,
    cancelRequested: false,
    rootId: message.rootId ?? null,
    queue: null,
    run: null,
  };
  const lease = {
    phase: "active" as const,
    fence: 1,
    nodeId: leasedBy ?? null,
    leasedAt: createdAt,
  };
  return {
    state: leasedBy === undefined ? state : { ...state, ...lease },
    facts: encodeFacts(message),
    body,
    createdAt,
    sourceId: message.sourceId,
  };
}

export function aPublishItem(
  wish: MessageWish = {},
  deduplication: PublishItem["deduplication"] = null,
): PublishItem {
  return { message: aNewMessage(wish), deduplication };
}

/** A message that was stored under way, as its node has it in hand. */
export function aLeasedMessage({ body = bytes("hello"), ...fields }: MessageWish): LeasedMessage {
  const message = aMessage(fields);
  const { accountId, messageId, url } = message;
  const lease = { accountId, messageId, fence: 1 };
  return { lease, message, body, host: hostOf(url), attempts: 0 };
}

export function aPublish(at: number, ...items: readonly PublishItem[]): PublishAct {
  return { rule: "publish", at, items };
}

/** Sets a line as if nothing had been set before. */
export function aLimit(at: number, key: LineKey, patch: LinePatch): SetLineAct {
  const { accountId, line } = key;
  return { rule: "set-line", at, accountId, line, patch, ifMissing: "add", queuesMax: null };
}

export function aCallback(fields: Partial<Callback> = {}): Callback {
  return {
    url: "https://callback.test/done",
    method: "POST",
    headers: [],
    timeoutMs: 30_000,
    retries: 3,
    delayMs: 0,
    ...fields,
  };
}

export function anAttempt(fields: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    accountId: "account",
    messageId: "message",
    number: 1,
    startedAt: START_AT,
    endedAt: START_AT,
    status: 200,
    headers: "[]",
    body: new Uint8Array(),
    ...fields,
  };
}

/** How a lease is settled, as the sender would do it. */
export interface Ending {
  readonly at: number;
  readonly verdict: Verdict;
  readonly attempt?: Partial<AttemptRecord>;
  /** Ids of what follows from it. */
  readonly follow?: Partial<
    Pick<FollowUpSource, "callbackId" | "failureCallbackId" | "invokerMessageId">
  >;
}

export function aSettlement(leased: LeasedMessage, ending: Ending): SettleAct {
  const { lease, message, body } = leased;
  const { at, verdict } = ending;
  const { accountId, messageId } = lease;
  return {
    rule: "settle",
    at,
    lease,
    verdict,
    attempt: anAttempt({
      accountId,
      messageId,
      number: leased.attempts + 1,
      startedAt: at,
      endedAt: at,
      status: verdict.kind === "delivered" ? 200 : 500,
      ...ending.attempt,
    }),
    source: {
      message,
      body,
      responseBody: ending.attempt?.body ?? new Uint8Array(),
      callbackId: `${messageId}-callback-${leased.attempts + 1}`,
      failureCallbackId: `${messageId}-failure`,
      invokerMessageId: "msg_invoker",
      ...ending.follow,
    },
  };
}

export function anAccount(fields: Partial<KeptAccount> = {}): AccountRecord {
  const { accountId = "account" } = fields;
  return accountOf({
    accountId,
    dialect: null,
    plan: "paid",
    overrides: OWNER_OVERRIDES,
    planChangedAt: 0,
    customerId: `${accountId}@example.com`,
    createdAt: START_AT,
    createdBy: "",
    budgetDollars: 0,
    isSuspended: false,
    isPaused: false,
    passwordHash: null,
    tokenHash: `${accountId}-token`,
    readOnlyTokenHash: `${accountId}-read-only-token`,
    previousTokens: null,
    namedTokens: [],
    tokenUses: {},
    signingKeys: { current: `${accountId}-current`, next: `${accountId}-next` },
    ...fields,
  });
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
