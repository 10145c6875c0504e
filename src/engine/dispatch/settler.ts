import type { FollowUpSource } from "../../core/rules/message/settlement.ts";
import {
  type Attempt,
  type AttemptRecord,
  encodeAnswerHeaders,
} from "../../core/model/message/attempt.ts";
import type { GrantedLease, Message } from "../../core/model/message/message.ts";
import { Problem } from "../../core/problem.ts";
import { incompleteReason, judge, type Verdict } from "../../core/rules/message/judge.ts";
import { endsRun } from "../../core/rules/workflow/settle-run.ts";
import type { LeasedMessage } from "../../store/store.ts";
import type { Reply } from "../../wire/workflow/reply.ts";
import type { AttemptReport, EngineOptions } from "../engine-options.ts";
import { FailureLog } from "../chore.ts";
import { type LeaseAge, leaseAge } from "./lease-age.ts";
import { isStoredAhead, type KeepPiece, storeAhead } from "./report-pieces.ts";
import { NO_SLOT, type SlotForNext } from "./slots-for-next.ts";
import { withReply, Replies } from "../workflow/replies.ts";

const NOTHING = new Uint8Array(0);
/** For the response to the last attempt. */
const LAST_ANSWER_BYTES_MAX = 1024 * 1024;
const REPEAT_MS_MIN = 250;
const REPEAT_MS_MAX = 1_000;
/** A message that is due later than this is found without a bell. */
const SOON_MS = 1_000;

/** Records the results of attempts; repeats each until it is stored, or void, or the node ends. */
export class Settler {
  readonly #options: EngineOptions;
  readonly #replies: Replies;
  readonly #failures: FailureLog;
  #hasGivenUp = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#replies = new Replies(options);
    this.#failures = new FailureLog(options.log, "settlements are repeated until they are stored");
  }

  /**
   * Returns the message that may use the slot of this one: what follows from the reply of a run, or
   * the next message of its queue.
   */
  async settle(
    leased: LeasedMessage,
    made: Attempt,
    slot: SlotForNext = NO_SLOT,
  ): Promise<LeasedMessage | null> {
    const { attempt, reply } = withReply(leased.message, made);
    const verdict = judge(leased.message, attempt, this.#options.ids.fraction());
    if (reply !== null && verdict.kind === "delivered") {
      return this.#settleReply(leased, withoutBody(attempt), reply, slot);
    }
    return this.#settleAs(leased, attempt, verdict, slot);
  }

  async #settleReply(
    leased: LeasedMessage,
    attempt: Attempt,
    reply: Reply,
    slot: SlotForNext,
  ): Promise<LeasedMessage | null> {
    const { store, bell, machineClock } = this.#options;
    const reason = await this.#persist(() => this.#replies.refusalOf(leased.message, reply));
    if (reason !== null) return this.#settleAs(leased, attempt, { kind: "dead", reason });
    const record = await this.#record(leased, attempt, DELIVERED);
    // Made anew for each try, since the node may have a new name after an outage. At most one is
    // stored: the lease ends with it.
    const { act, answer, isTooOld } = await this.#persist(async () => {
      const age = leaseAge(machineClock);
      const made = await this.#replies.actOf(leased, record, reply, slot.forReply());
      return { act: made, answer: await store.act(made), isTooOld: age };
    });
    if (answer.kind === "too-much") {
      const excess = `the run has more ${answer.what} than a run may have`;
      return this.#settleAs(leased, attempt, { kind: "dead", reason: excess });
    }
    const items = answer.kind === "settled" ? answer.items : [];
    const isAwaited = reply.kind === "end" && leased.message.run?.invoker !== undefined;
    if (isAwaited || items.some(({ leased: isLeased }) => !isLeased)) bell.ring();
    this.#report(leased.message, attempt, record, answer.kind === "stale" ? answer : DELIVERED);
    const next = await this.#replies.next(act, items, (lease) => this.handBack({ lease }));
    return this.#unlessOld(next, isTooOld);
  }

  async #settleAs(
    leased: LeasedMessage,
    attempt: Attempt,
    verdict: Verdict,
    slot: SlotForNext = NO_SLOT,
  ): Promise<LeasedMessage | null> {
    const { store, clock, bell, machineClock } = this.#options;
    const { message, lease } = leased;
    const recorded = this.#record(leased, attempt, verdict);
    const record = recorded instanceof Promise ? await recorded : recorded;
    const wanted = this.#source(leased, attempt, verdict);
    const keep: KeepPiece = (act) => this.#persist(() => store.act(act));
    const isAhead = wanted !== null && isStoredAhead(store, wanted);
    const source = isAhead ? await storeAhead(keep, lease, record, wanted) : wanted;
    const at = clock.now();
    const { answer, isTooOld } = await this.#persist(async () => {
      const age = leaseAge(machineClock);
      // Asked anew for each try, since much may have changed in an outage.
      const room = mayPassOn(leased, verdict, source) ? slot.inQueue(leased) : undefined;
      const next = room && { ...room, leasedAt: clock.now() };
      const act = { rule: "settle", at, lease, attempt: record, verdict, source, next } as const;
      return { answer: await store.act(act), isTooOld: age };
    });
    if (answer === "idle") return this.#settleAs(leased, attempt, idle(verdict));
    if (answer === "gained") return this.#settleAs(leased, attempt, DELIVERED);
    if (mayAddMessage(source, verdict) || isSoon(verdict, clock.now())) bell.ring();
    if (typeof answer === "object") {
      this.#report(message, attempt, record, verdict);
      return this.#unlessOld(await this.#read(answer.next), isTooOld);
    }
    this.#report(message, attempt, record, answer === "settled" ? verdict : { kind: answer });
    return null;
  }

  /** The message, or null when others may send it by now; then its lease is given back. */
  async #unlessOld(next: LeasedMessage | null, isTooOld: LeaseAge): Promise<LeasedMessage | null> {
    if (next === null || !isTooOld()) return next;
    await this.handBack(next);
    return null;
  }

  /** The message that is leased in place of another; it is handed back when it cannot be read now. */
  async #read(next: GrantedLease): Promise<LeasedMessage | null> {
    try {
      const [found] = await this.#options.store.leased([next]);
      return found ?? null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await this.handBack({ lease: next });
      return null;
    }
  }

  #report(
    message: Message,
    { number, startedAt, endedAt }: Attempt,
    { status, error }: AttemptRecord,
    verdict: AttemptReport["verdict"],
  ): void {
    const durationMs = Math.max(0, endedAt - startedAt);
    this.#options.onAttempt({ message, number, status, error, durationMs, verdict });
  }

  /** Gives a lease back, so that the message waits again as if it had not been leased. */
  async handBack(leased: Pick<LeasedMessage, "lease">): Promise<void> {
    const { store, clock } = this.#options;
    const { lease } = leased;
    await this.#persist(() => store.act({ rule: "hand-back", at: clock.now(), lease }));
  }

  /** From now on a settlement that the store does not accept is not repeated. */
  giveUp(): void {
    this.#hasGivenUp = true;
  }

  /** The store may be away for a while; the result must still be recorded when it is back. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    for (let waitMs = REPEAT_MS_MIN; ; waitMs = Math.min(waitMs * 2, REPEAT_MS_MAX)) {
      try {
        const answer = await write();
        this.#failures.worked();
        return answer;
      } catch (error) {
        if (!(error instanceof Problem) || this.#hasGivenUp) throw error;
        this.#failures.failed(error);
        await clock.sleep(waitMs);
      }
    }
  }

  #record(
    leased: LeasedMessage,
    attempt: Attempt,
    verdict: Verdict,
  ): AttemptRecord | Promise<AttemptRecord> {
    const { outcome } = attempt;
    const bytes = outcome.kind === "answer" ? outcome.body.byteLength : 0;
    const bytesMax = bytes === 0 ? 0 : this.#bytesKept(leased.lease.accountId, verdict);
    return typeof bytesMax === "number"
      ? recordOf(leased, attempt, verdict, bytesMax)
      : bytesMax.then((known) => recordOf(leased, attempt, verdict, known));
  }

  /** More of the last response is stored, since a dead letter shows it. */
  #bytesKept(accountId: string, verdict: Verdict): number | Promise<number> {
    if (verdict.kind === "dead") return LAST_ANSWER_BYTES_MAX;
    const { responseBytesKept } = this.#options;
    let next: number | Promise<number> | null = responseBytesKept(accountId);
    if (typeof next === "number") return next;
    return this.#persist(async () => {
      const asked = next ?? responseBytesKept(accountId);
      next = null;
      return asked;
    });
  }

  #source(leased: LeasedMessage, attempt: Attempt, verdict: Verdict): FollowUpSource | null {
    const { message, body } = leased;
    if (!isFollowed(message, verdict)) return null;
    const { ids, clock } = this.#options;
    const { outcome } = attempt;
    return {
      message,
      // A step's body is the run itself, which its follow-ups read from the store.
      body: message.kind === "step" ? NOTHING : body,
      responseBody: outcome.kind === "answer" ? outcome.body : NOTHING,
      responseCut: outcome.kind === "answer" ? outcome.cut : undefined,
      callbackId: ids.sortable("msg_", clock.now()),
      failureCallbackId: ids.sortable("msg_", clock.now()),
      invokerMessageId: ids.sortable("msg_", clock.now()),
    };
  }
}

/** Whether nothing but the message itself holds its slot in a queue. */
function mayPassOn(
  { message }: LeasedMessage,
  verdict: Verdict,
  source: FollowUpSource | null,
): boolean {
  return (
    message.queueName !== undefined &&
    message.rootId === message.messageId &&
    verdict.kind === "delivered" &&
    source === null
  );
}

const DELIVERED: Verdict = { kind: "delivered" };

/** The attempt as stored, with so many bytes of the answer. */
function recordOf(
  leased: LeasedMessage,
  { number, startedAt, endedAt, outcome }: Attempt,
  verdict: Verdict,
  bytesMax: number,
): AttemptRecord {
  const { accountId, messageId } = leased.lease;
  const base = { accountId, messageId, number, startedAt, endedAt };
  if (outcome.kind === "no-answer") {
    return { ...base, status: 0, error: outcome.error, headers: "[]", body: NOTHING };
  }
  const { status, body } = outcome;
  const reason = verdict.kind === "dead" ? verdict.reason : undefined;
  const isCut = outcome.cut !== undefined || body.byteLength > bytesMax;
  return {
    ...base,
    status,
    error: reason ?? incompleteReason(leased.message, outcome),
    headers: encodeAnswerHeaders(outcome.headers, isCut),
    body: body.subarray(0, bytesMax),
  };
}

/** A reply is stored as entries of the run only. */
function withoutBody(attempt: Attempt): Attempt {
  const { outcome } = attempt;
  if (outcome.kind === "no-answer") return attempt;
  return { ...attempt, outcome: { ...outcome, body: NOTHING } };
}

/** Whether something follows: a callback, or a change of its run. */
function isFollowed(message: Message, verdict: Verdict): boolean {
  if (message.run !== undefined) return isFollowedInRun(message, verdict);
  const { callback, failureCallback } = message.settings;
  const reportsDeath = verdict.kind === "dead" && failureCallback !== undefined;
  return callback !== undefined || reportsDeath;
}

/**
 * A delivered step changes nothing in its run, since the endpoint submits its results separately.
 * Only the first delivery is checked: a run without an entry after it never gets one.
 */
function isFollowedInRun(message: Message, verdict: Verdict): boolean {
  if (verdict.kind === "retry") return false;
  return verdict.kind === "dead" || !endsRun(message) || verdict.idleReason !== undefined;
}

/** The run of an accepted first delivery has got no entry: it fails, if that is still so. */
function idle(verdict: Verdict): Verdict {
  const reason = verdict.kind === "delivered" ? verdict.idleReason : undefined;
  return { kind: "dead", reason, ifIdle: true };
}

/** Whether a settlement may have added a message. */
function mayAddMessage(source: FollowUpSource | null, verdict: Verdict): boolean {
  if (source === null) return false;
  return verdict.kind !== "delivered" || verdict.idleReason === undefined;
}

function isSoon(verdict: Verdict, now: number): boolean {
  return verdict.kind === "retry" && verdict.readyAt - now < SOON_MS;
}
