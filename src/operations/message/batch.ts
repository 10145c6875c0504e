import type { PublishAnswer } from "../../core/rules/message/publish.ts";
import type { Account } from "../../core/model/account/account.ts";
import type { Instant } from "../../core/model/time.ts";
import { Problem } from "../../core/problem.ts";
import type { Composed, Target } from "../../core/rules/message/compose.ts";
import { nextTurn } from "../../platform/turn.ts";
import {
  type BatchItem,
  type BatchPublish,
  namesRun,
  readBatchPublish,
} from "../../wire/message/batch.ts";
import type { BatchDialect } from "../../wire/headers/header-reading.ts";
import { readPublishOptions } from "../../wire/message/publish.ts";
import { asStepError } from "../../wire/workflow/step.ts";
import { type Context, dialectOf, takeTurn } from "../context.ts";
import { requireTarget } from "./destinations.ts";
import { composeRequest, requireRoom } from "./messages.ts";
import { send } from "./send.ts";
import { bodyBytesMax } from "../workflow/submissions.ts";
import {
  actOnWorkflow,
  readWorkflowMessage,
  type WorkflowAnswer,
  type WorkflowMessage,
} from "../workflow/workflow.ts";

export interface BatchRequest {
  readonly account: Account;
  /** Items of a JSON document, unchecked; parsed as they are read. */
  readonly items: Iterable<unknown>;
  readonly callerIp: string;
  /** What the headers of the request name, for items that name nothing themselves. */
  readonly dialect: BatchDialect;
}

/** The result of one item: its messages, or why it was refused. */
export type BatchAnswer =
  | { readonly target: Target; readonly answers: readonly PublishAnswer[] }
  | { readonly workflow: WorkflowAnswer }
  | { readonly problem: Problem };

type Prepared =
  | { readonly target: Target; readonly messages: readonly Composed[] }
  | { readonly workflow: WorkflowMessage }
  | { readonly problem: Problem };

/**
 * Stores the messages of all items in one act and answers item by item. A refused item does not
 * affect the others, except in a workflow, whose clients read the status of the whole response.
 */
export async function publishBatch(
  context: Context,
  request: BatchRequest,
): Promise<readonly BatchAnswer[]> {
  const batch = new Batch(context, request);
  const prepared = await prepareAll(context, batch, request.items);
  const { account } = request;
  const answers = await sendAll(context, account, batch);
  const workflow = prepared.flatMap((one) => ("workflow" in one ? [one.workflow] : []));
  const acted = await actOnWorkflow(context, account, workflow, batch.at);
  return prepared.map(withAnswers(answers, acted));
}

/** Nothing is stored until all items are read, since the document may be malformed at its end. */
async function prepareAll(
  { turns }: Context,
  batch: Batch,
  items: Iterable<unknown>,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  for (const item of items) {
    const turn = batch.takeTurn();
    if (turn !== null) await turn;
    prepared.push(await batch.prepare(item));
    while (turns.isLong) await nextTurn();
  }
  return prepared;
}

async function sendAll(
  context: Context,
  account: Account,
  { messages, at }: Batch,
): Promise<readonly PublishAnswer[]> {
  if (messages.length === 0) return [];
  requireRoom(context);
  return send(context, account, messages, at);
}

/** Assigns the answers to their items, in order. */
function withAnswers(
  answers: readonly PublishAnswer[],
  acted: readonly WorkflowAnswer[],
): (prepared: Prepared) => BatchAnswer {
  let start = 0;
  let index = 0;
  return (prepared) => {
    if ("problem" in prepared) return prepared;
    if ("workflow" in prepared) return { workflow: acted[index++]! };
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
  readonly #ticket: number;
  #bytes = 0;

  constructor(context: Context, request: BatchRequest) {
    this.#context = context;
    this.#request = request;
    this.#ticket = context.turns.drawTicket();
    this.at = context.clock.now();
  }

  /** While other accounts are active, each item waits for a turn. */
  takeTurn(): Promise<void> | null {
    return takeTurn(this.#context, this.#request.account.accountId, 1, this.#ticket);
  }

  async prepare(item: unknown): Promise<Prepared> {
    const { account, callerIp } = this.#request;
    const readItem = (): BatchPublish =>
      readBatchPublish(item, (ofRun) => bodyBytesMax(account, ofRun));
    const read = namesRun(item) ? asStepError(readItem) : await orProblem(readItem);
    if ("problem" in read) return read;
    const { destination: url, rawHeaders, aliases, workflow, body } = read;
    if (workflow === null) return orProblem(() => this.#compose(read));
    const publish = { account, url, rawHeaders, aliases, workflow, body, callerIp, at: this.at };
    return { workflow: readWorkflowMessage(this.#context, publish) };
  }

  async #compose(read: BatchItem): Promise<Prepared> {
    const { account, callerIp, dialect } = this.#request;
    const { queueName, body } = read;
    const target = await this.#target(read.destination);
    const options = readPublishOptions(read.rawHeaders, read.aliases, {
      call: queueName === undefined ? "publish" : "enqueue",
      defaultDialect: dialectOf(this.#context, account),
      batchDialect: dialect,
      retriesDefault: account.limits.retriesDefault,
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

  /** A group multiplies the stored bytes. */
  #requireSmall({ endpoints }: Target, body: Uint8Array): void {
    if (this.messages.length + endpoints.length > MESSAGES_MAX) {
      throw new Problem("invalid-request", `the batch makes more than ${MESSAGES_MAX} messages`);
    }
    const { storedBytesMax } = this.#context;
    if (this.#bytes + endpoints.length * body.byteLength > storedBytesMax) {
      const sentence = `the bodies of the batch come to more than ${storedBytesMax} bytes, each counted for every endpoint`;
      throw new Problem("body-too-large", sentence);
    }
  }
}

/** A temporary refusal is not the item's fault: the whole request has to be repeated. */
async function orProblem<Value>(
  read: () => Value | Promise<Value>,
): Promise<Value | { readonly problem: Problem }> {
  try {
    return await read();
  } catch (problem) {
    if (problem instanceof Problem && problem.retryAfterSeconds === undefined) return { problem };
    throw problem;
  }
}

const MESSAGES_MAX = 10_000;
