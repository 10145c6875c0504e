import type { PublishAnswer } from "../core/act.ts";
import type { Account } from "../core/model/account.ts";
import type { Instant } from "../core/model/message.ts";
import { Problem } from "../core/problem.ts";
import type { Composed } from "../core/rules/compose.ts";
import { readBatchItem } from "../wire/batch.ts";
import { readPublishOptions } from "../wire/publish.ts";
import type { Context } from "./context.ts";
import { requireTarget, type Target } from "./destinations.ts";
import { composeRequest, requireRoom } from "./messages.ts";
import { send } from "./send.ts";

export interface BatchRequest {
  readonly account: Account;
  /** Objects of a JSON document, whatever is in them. */
  readonly items: readonly unknown[];
  readonly callerIp: string;
}

/** What became of one item: its messages, or why it has none. */
export type BatchAnswer =
  | { readonly target: Target; readonly answers: readonly PublishAnswer[] }
  | { readonly problem: Problem };

type Prepared =
  | { readonly target: Target; readonly messages: readonly Composed[] }
  | { readonly problem: Problem };

/**
 * Stores the messages of all items in one act and answers item by item. An item that is refused
 * does not stand against the others.
 */
export async function publishBatch(
  context: Context,
  request: BatchRequest,
): Promise<readonly BatchAnswer[]> {
  requireRoom(context);
  const batch = new Batch(context, request);
  const prepared: Prepared[] = [];
  for (const item of request.items) prepared.push(await batch.prepare(item));
  if (batch.messages.length === 0) return prepared.map(withAnswers([]));
  const answers = await send(context, request.account, batch.messages, batch.at);
  return prepared.map(withAnswers(answers));
}

/** Gives each item its share of the answers, which come in the order of the items. */
function withAnswers(answers: readonly PublishAnswer[]): (prepared: Prepared) => BatchAnswer {
  let start = 0;
  return (prepared) => {
    if ("problem" in prepared) return prepared;
    const end = start + prepared.messages.length;
    const answer = { target: prepared.target, answers: answers.slice(start, end) };
    start = end;
    return answer;
  };
}

class Batch {
  readonly at: Instant;
  readonly messages: Composed[] = [];
  readonly #context: Context;
  readonly #request: BatchRequest;
  /** Many items mostly go to few destinations. */
  readonly #targets = new Map<string, Target | Promise<Target>>();
  readonly #newQueues = new Set<string>();
  #bytes = 0;

  constructor(context: Context, request: BatchRequest) {
    this.#context = context;
    this.#request = request;
    this.at = context.clock.now();
  }

  async prepare(item: unknown): Promise<Prepared> {
    try {
      return await this.#compose(item);
    } catch (problem) {
      // What passes by itself is no fault of the item: then the whole call is to be repeated.
      if (problem instanceof Problem && problem.retryAfterSeconds === undefined) return { problem };
      throw problem;
    }
  }

  async #compose(item: unknown): Promise<Prepared> {
    const { account, callerIp } = this.#request;
    const { limits, defaultDialect } = account;
    const read = readBatchItem(item, limits.messageBytesMax);
    const { queueName, body } = read;
    const target = await this.#target(read.destination);
    const options = readPublishOptions(read.rawHeaders, read.aliases, {
      call: queueName === undefined ? "publish" : "enqueue",
      defaultDialect,
      retriesDefault: limits.retriesDefault,
      groupHeaders: target.groupHeaders,
    });
    this.#requireSmall(target, body);
    if (queueName !== undefined) await this.#admit(queueName);
    const request = { account, target, queueName, options, body, callerIp };
    const messages = composeRequest(this.#context, request, this.at);
    this.messages.push(...messages);
    this.#bytes += messages.length * body.byteLength;
    return { target, messages };
  }

  async #admit(queueName: string): Promise<void> {
    if (this.#newQueues.has(queueName)) return;
    const { account } = this.#request;
    const { knownQueues } = this.#context;
    const isNew = await knownQueues.admit(account, queueName, this.#newQueues.size);
    if (isNew) this.#newQueues.add(queueName);
  }

  #target(destination: string): Target | Promise<Target> {
    const known = this.#targets.get(destination);
    if (known !== undefined) return known;
    const target = requireTarget(this.#context, this.#request.account.accountId, destination);
    this.#targets.set(destination, target);
    return target;
  }

  /** A group multiplies what was sent to us. */
  #requireSmall({ places }: Target, body: Uint8Array): void {
    if (this.messages.length + places.length > MESSAGES_MAX) {
      throw new Problem("invalid-request", `the batch makes more than ${MESSAGES_MAX} messages`);
    }
    const { storedBytesMax } = this.#context;
    if (this.#bytes + places.length * body.byteLength > storedBytesMax) {
      const sentence = `the bodies of the batch come to more than ${storedBytesMax} bytes, each counted for every endpoint`;
      throw new Problem("body-too-large", sentence);
    }
  }
}

const MESSAGES_MAX = 10_000;
