/** What callers are promised while the store cannot work for them. */
import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import type { CallAnswer } from "./http-call.ts";

/** What a publisher is promised. */
const ANSWER_MS_MAX = 10_000;

/** The answer, or a failed test where it does not come in time. */
export async function inTime(answer: Promise<CallAnswer>): Promise<CallAnswer> {
  const patience = new AbortController();
  const tooLong = wait(ANSWER_MS_MAX, null, patience);
  tooLong.catch(() => undefined);
  const first = await Promise.race([answer, tooLong]);
  patience.abort();
  assert.ok(first !== null, "nothing was answered in time");
  return first;
}

/** The caller is told to come again, and when. */
export async function assertAway(call: Promise<CallAnswer>): Promise<void> {
  const answer = await inTime(call);
  assert.equal(answer.status, 503, answer.text);
  assert.match(String(answer.headers["retry-after"]), /^[1-9]\d*$/);
}
