import type { FollowUpSource, SettleAct } from "../core/act.ts";
import type { Attempt, AttemptRecord } from "../core/model/attempt.ts";
import type { Message } from "../core/model/message.ts";
import { Problem } from "../core/problem.ts";
import { judge, type Verdict } from "../core/rules/judge.ts";
import { endsRun } from "../core/rules/settle-run.ts";
import type { LeasedMessage } from "../store/store.ts";
import type { EngineOptions } from "./engine-options.ts";

const NOTHING = new Uint8Array(0);
const REPEAT_MS = 250;
/** What is due later than this is found without a bell. */
const SOON_MS = 1_000;

/** Records what attempts meant. A settlement is repeated until it is stored, or void. */
export class Settler {
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  async settle(leased: LeasedMessage, attempt: Attempt): Promise<void> {
    const { clock, ids, bell, onAttempt } = this.#options;
    const { message } = leased;
    const verdict = judge(message, attempt, ids.fraction());
    const record = await this.#record(leased, attempt, verdict);
    const source = this.#source(leased, attempt, verdict);
    const answer = await this.#store({
      rule: "settle",
      at: clock.now(),
      lease: leased.lease,
      attempt: record,
      verdict,
      source,
    });
    if (source !== null || freesLine(message) || isSoon(verdict, clock.now())) bell.ring();
    onAttempt({
      message,
      number: attempt.number,
      status: record.status,
      error: record.error,
      durationMs: attempt.endedAt - attempt.startedAt,
      verdict: answer === "settled" ? verdict : { kind: answer },
    });
  }

  /** Gives a lease back, so that the message waits again as if it had not been taken. */
  async handBack(leased: Pick<LeasedMessage, "lease">): Promise<void> {
    const { clock } = this.#options;
    await this.#persist(() =>
      this.#options.store.act({ rule: "hand-back", at: clock.now(), lease: leased.lease }),
    );
  }

  #store(act: SettleAct): Promise<"settled" | "cancelled" | "stale"> {
    return this.#persist(() => this.#options.store.act(act));
  }

  /** The store may be away for a while; what happened must still be recorded when it is back. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        this.#options.log.warn("settlement is repeated", { reason: error.message });
        await this.#options.clock.sleep(REPEAT_MS);
      }
    }
  }

  async #record(leased: LeasedMessage, attempt: Attempt, verdict: Verdict): Promise<AttemptRecord> {
    const { accountId, messageId } = leased.lease;
    const { number, startedAt, endedAt, outcome } = attempt;
    const base = { accountId, messageId, number, startedAt, endedAt };
    const reason = verdict.kind === "dead" ? verdict.reason : undefined;
    if (outcome.kind === "no-answer") {
      return { ...base, status: 0, error: outcome.error, headers: "[]", body: NOTHING };
    }
    const { status, headers, body } = outcome;
    // The last answer is kept whole, since a dead letter shows it.
    const isWhole = verdict.kind === "dead" || body.byteLength === 0;
    const kept = isWhole ? body : body.subarray(0, await this.#bytesKept(accountId));
    return { ...base, status, error: reason, headers: JSON.stringify(headers), body: kept };
  }

  #bytesKept(accountId: string): Promise<number> {
    return this.#persist(async () => this.#options.responseBytesKept(accountId));
  }

  #source(leased: LeasedMessage, attempt: Attempt, verdict: Verdict): FollowUpSource | null {
    const { message, body } = leased;
    if (!isFollowed(message, verdict)) return null;
    const { ids, clock } = this.#options;
    const { outcome } = attempt;
    return {
      message,
      // A step's body is the run itself, which its followers know.
      body: message.kind === "step" ? NOTHING : body,
      responseBody: outcome.kind === "answer" ? outcome.body : NOTHING,
      callbackId: ids.sortable("msg_", clock.now()),
      failureCallbackId: ids.sortable("msg_", clock.now()),
      invokerMessageId: ids.sortable("msg_", clock.now()),
    };
  }
}

/** Others may wait behind it: in its queue, or under its key. */
function freesLine({ flowControl, rootId }: Message): boolean {
  return flowControl !== undefined || rootId !== undefined;
}

/** Whether something follows from it: a callback, or what its end means for its run. */
function isFollowed(message: Message, verdict: Verdict): boolean {
  if (message.run !== undefined) return isFollowedInRun(message, verdict);
  const reportsDeath = verdict.kind === "dead" && message.failureCallback !== undefined;
  return message.callback !== undefined || reportsDeath;
}

/** A step that was delivered means nothing for its run: what it led to was submitted on its own. */
function isFollowedInRun(message: Message, verdict: Verdict): boolean {
  if (verdict.kind === "retry") return false;
  return verdict.kind === "dead" || !endsRun(message);
}

function isSoon(verdict: Verdict, now: number): boolean {
  return verdict.kind === "retry" && verdict.readyAt - now < SOON_MS;
}
