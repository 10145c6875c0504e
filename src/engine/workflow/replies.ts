import type { AppendItem } from "../../core/rules/workflow/append.ts";
import type { ReplyAct, RunReply } from "../../core/rules/workflow/reply.ts";
import { type Submitted, dueNow } from "../../core/rules/workflow/run-message.ts";
import { type Attempt, type AttemptRecord, brokeOff } from "../../core/model/message/attempt.ts";
import { decodeFacts } from "../../core/model/message/settings.ts";
import type { Message, Lease } from "../../core/model/message/message.ts";
import type { Instant } from "../../core/model/time.ts";
import { Problem } from "../../core/problem.ts";
import { FIRST_FENCE } from "../../core/rules/message/compose-message.ts";
import { hostOf } from "../../core/policy/egress/read-destination.ts";
import { mayLeaseAtOnce } from "../../core/rules/message/immediate-lease.ts";
import type { LeasedMessage } from "../../store/store.ts";
import { type RepliedStep, type Reply, readReply } from "../../wire/workflow/reply.ts";
import type { EngineOptions } from "../engine-options.ts";

const NOTHING = new Uint8Array(0);

export interface AttemptWithReply {
  readonly attempt: Attempt;
  readonly reply: Reply | null;
}

/** Reads the reply in the response to a step. An unreadable reply counts as no response. */
export function withReply({ kind }: Message, attempt: Attempt): AttemptWithReply {
  const { outcome } = attempt;
  if (kind !== "step" || outcome.kind !== "answer" || outcome.status !== 200 || brokeOff(outcome)) {
    return { attempt, reply: null };
  }
  try {
    return { attempt, reply: readReply(outcome) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const reason = `the reply cannot be read: ${error.message}`;
    return {
      attempt: { ...attempt, outcome: { kind: "no-answer", error: reason, final: false } },
      reply: null,
    };
  }
}

/** Makes acts from replies, and the next message from their answers. */
export class Replies {
  readonly #options: EngineOptions;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /** With a node, the first message that follows is leased to it if no line holds it back. */
  async actOf(
    { lease, message }: LeasedMessage,
    attempt: AttemptRecord,
    reply: Reply,
    nodeId: string | null,
  ): Promise<ReplyAct> {
    const { accountId, run } = message;
    const { runId, createdAt } = run!;
    const at = this.#options.clock.now();
    const first = nodeId !== null && (await this.#isFree(accountId)) ? nodeId : null;
    return {
      rule: "reply",
      at,
      lease,
      attempt,
      ref: { accountId, runId, createdAt },
      reply:
        reply.kind === "end"
          ? this.#end(message, reply.response, at)
          : this.#steps(message, reply.steps, at, first),
    };
  }

  /** Why a reply exceeds the account's limits; null when it does not. */
  async refusalOf({ accountId }: Message, reply: Reply): Promise<string | null> {
    const account = await this.#options.account(accountId);
    const bytesMax = account?.limits.messageBytesMax ?? Infinity;
    const bodies = reply.kind === "end" ? [reply.response] : reply.steps.map(({ body }) => body);
    const isTooLarge = bodies.some((body) => body.byteLength > bytesMax);
    return isTooLarge ? `quota maxMessageSize exceeded: a reply is larger than ${bytesMax}` : null;
  }

  /** The message that takes the slot next; it is handed back when it cannot be read now. */
  async next(
    act: ReplyAct,
    items: readonly Submitted[],
    handBack: (lease: Lease) => Promise<void>,
  ): Promise<LeasedMessage | null> {
    const [submitted] = items;
    if (submitted?.facts === undefined || act.reply.kind !== "steps") return null;
    const { runLists, store } = this.#options;
    const message = decodeFacts(submitted.facts);
    const { accountId, messageId } = message;
    const { kind, body } = act.reply.items[0]!;
    const list = runLists.upTo(message, { messageId, kind, body });
    const lease = { accountId, messageId, fence: FIRST_FENCE };
    const known = { host: hostOf(message.url), attempts: 0 };
    if (list !== null) return { lease, message, body: list, ...known };
    try {
      const [found] = await store.leased([{ ...lease, ...known }]);
      return found ?? null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      await handBack(lease);
      return null;
    }
  }

  /** Whether a message of the account may be sent without a claim. */
  async #isFree(accountId: string): Promise<boolean> {
    const account = await this.#options.account(accountId);
    return account !== null && mayLeaseAtOnce(account);
  }

  #steps(
    message: Message,
    steps: readonly RepliedStep[],
    at: Instant,
    nodeId: string | null,
  ): RunReply {
    const items = steps.map((step, index): AppendItem => {
      const requested = dueNow(
        withoutCallbacks(message),
        this.#options.ids.sortable("msg_", at),
        at,
      );
      return {
        ...step,
        callBody: NOTHING,
        requested: requested,
        nodeId: index === 0 ? nodeId : null,
      };
    });
    return { kind: "steps", items };
  }

  #end({ accountId, run }: Message, response: Uint8Array, at: Instant): RunReply {
    const invoker = run?.invoker ? { accountId, ...run.invoker } : null;
    const invokerMessageId = this.#options.ids.sortable("msg_", at);
    return { kind: "end", response, invoker, invokerMessageId };
  }
}

/** The callbacks of the first delivery belong to the run, not to its later steps. */
function withoutCallbacks(message: Message): Message {
  const settings = { ...message.settings, callback: undefined, failureCallback: undefined };
  return { ...message, settings };
}
