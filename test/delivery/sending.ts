/** Couriers and deliveries for the tests. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Answer, NoAnswer, Outcome } from "../../src/core/model/message/attempt.ts";
import type { Message } from "../../src/core/model/message/message.ts";
import { parseAllowEntry, type EgressPolicy } from "../../src/core/policy/egress/egress.ts";
import type { Delivery } from "../../src/delivery/courier.ts";
import { HttpCourier, type HttpCourierOptions } from "../../src/delivery/http-courier.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createIds } from "../../src/platform/ids.ts";
import { aMessage, type MessageFields } from "../support/messages.ts";

export const SIGNING_KEY = "sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r";

export function policy(mode: "serve" | "dev", ...allow: string[]): EgressPolicy {
  return { mode, httpsOnly: false, allow: allow.map((text) => parseAllowEntry(text)!) };
}

export function startCourier(
  t: TestContext,
  options: Partial<HttpCourierOptions> = {},
): HttpCourier {
  const courier = new HttpCourier({
    clock: systemClock,
    ids: createIds(),
    policy: policy("dev"),
    region: "TEST-1",
    ...options,
  });
  t.after(() => courier.close());
  return courier;
}

export function messageTo(url: string, changes: MessageFields = {}): Message {
  return aMessage({
    accountId: "acc_1",
    messageId: "msg_1",
    url,
    headers: [],
    timeoutMs: 10_000,
    callerIp: "203.0.113.9",
    createdAt: 0,
    ...changes,
  });
}

export function deliveryTo(
  url: string,
  changes: MessageFields = {},
  body: string | Uint8Array = "",
): Delivery {
  return {
    message: messageTo(url, changes),
    body: typeof body === "string" ? Buffer.from(body) : body,
    retried: 0,
    signingKey: SIGNING_KEY,
  };
}

export async function send(courier: HttpCourier, delivery: Delivery): Promise<Outcome> {
  return courier.send(delivery).outcome;
}

export function answered(outcome: Outcome): Answer {
  if (outcome.kind !== "answer") assert.fail(`no answer: ${outcome.error}`);
  return outcome;
}

export function unanswered(outcome: Outcome): NoAnswer {
  if (outcome.kind !== "no-answer") assert.fail(`answer: ${outcome.status}`);
  return outcome;
}
