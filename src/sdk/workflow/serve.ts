import { Receiver } from "../receiver.ts";
import type { Environment } from "../runtime.ts";
import { Transport } from "../transport.ts";
import { SignatureError } from "../errors.ts";
import * as answers from "./answers.ts";
import { readCallback } from "./callback.ts";
import { Context, type RunView } from "./context.ts";
import { entriesOf, fetchEntries, kindOf, payloadTextOf, runFactsOf } from "./delivery.ts";
import { readFailure } from "./failure.ts";
import { History } from "./history.ts";
import { readPayload } from "./payload.ts";
import { probe, type Verdict } from "./probe.ts";
import { HEADERS, ownHeaders } from "./protocol.ts";
import { type Outcome, Replay, type Steps } from "./replay.ts";
import { ReplyDesk } from "./reply.ts";
import { startRun } from "./start.ts";
import { RunEnded, type RunFacts, Submission } from "./submission.ts";
import type { Handler } from "./siblings.ts";
import type { ServeOptions, WorkflowFunction } from "./options.ts";

/** Makes an endpoint of a function: to be called by POST, by the service or to start a run. */
export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options: ServeOptions<Payload> = {},
): Handler {
  const endpoints = new WeakMap<object, Endpoint<Payload, Result>>();
  return async (request, environment) => {
    if (request.method !== "POST") return answers.methodNotAllowed();
    try {
      const variables = holdsVariables(environment) ? environment : NO_VARIABLES;
      const endpoint = endpoints.get(variables) ?? new Endpoint(run, options, variables);
      endpoints.set(variables, endpoint);
      return await endpoint.answer(request);
    } catch (error) {
      return answers.failed(error);
    }
  };
}

interface Incoming {
  readonly headers: Headers;
  readonly body: string;
  readonly url: string;
}

/** A workflow, and what it needs to take deliveries; kept from one to the next. */
class Endpoint<Payload, Result> {
  readonly #run: WorkflowFunction<Payload, Result>;
  readonly #options: ServeOptions<Payload>;
  readonly #transport: Transport;
  readonly #receiver: Receiver | undefined;

  constructor(
    run: WorkflowFunction<Payload, Result>,
    options: ServeOptions<Payload>,
    environment: Environment,
  ) {
    this.#run = run;
    this.#options = options;
    this.#transport = new Transport(options.client ?? {}, environment);
    const { receiver = Receiver.fromEnvironment(environment) } = options;
    this.#receiver = receiver === false ? undefined : receiver;
  }

  async answer(request: Request): Promise<Response> {
    const incoming = await this.#receive(request);
    switch (kindOf(incoming.headers)) {
      case "start":
        return this.#start(incoming);
      case "step":
        return this.#step(incoming);
      case "callback":
        return this.#callback(incoming);
      case "failure":
        return this.#failure(incoming);
    }
  }

  async #receive(request: Request): Promise<Incoming> {
    const { url: given } = this.#options;
    const url = typeof given === "function" ? given(request) : (given ?? request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    if (this.#receiver !== undefined) {
      const signature = request.headers.get(HEADERS.signature);
      if (signature === null) throw new SignatureError(`${HEADERS.signature} is missing`);
      await this.#receiver.verify({ signature, body });
    }
    return { headers: request.headers, body: new TextDecoder().decode(body), url };
  }

  async #start(incoming: Incoming): Promise<Response> {
    const facts: RunFacts = { runId: "", createdAt: 0, url: incoming.url, invokeCount: 0 };
    const verdict = await this.#probe(incoming, facts, incoming.body);
    if (verdict.kind !== "passed") return turnedAway(verdict);
    const { retries, retryDelay, flowControl } = this.#options;
    const runId = await startRun(this.#transport, incoming, { retries, retryDelay, flowControl });
    return answers.done(runId, "success");
  }

  async #step(incoming: Incoming): Promise<Response> {
    const desk = ReplyDesk.of(incoming.headers);
    const facts = runFactsOf(incoming.headers, incoming.url);
    const entries = await entriesOf(incoming.body, incoming.headers, this.#transport);
    if (entries === undefined) return answers.done(facts.runId, "workflow-already-ended");
    const history = History.of(entries);
    if (history.repeatsItself) return answers.done(facts.runId, "duplicate-step");
    const submission = new Submission(this.#transport, facts, desk);
    const replay = new Replay(history, submission);
    const view = await this.#view(incoming, facts, payloadTextOf(entries));
    const outcome = await replay.follow(() => this.#run(new Context(view, replay)));
    return conclude(outcome, submission);
  }

  /** A signed result of a call is the service's word; without a key the function decides first. */
  async #callback(incoming: Incoming): Promise<Response> {
    const facts = runFactsOf(incoming.headers, incoming.url);
    const { runId } = facts;
    if (this.#receiver === undefined) {
      const entries = await fetchEntries(runId, this.#transport);
      if (entries === undefined) return answers.done(runId, "workflow-already-ended");
      const verdict = await this.#probe(incoming, facts, payloadTextOf(entries));
      if (verdict.kind !== "passed") return turnedAway(verdict);
    }
    const record = readCallback(incoming.body, incoming.headers);
    if (record !== undefined) {
      const submission = new Submission(this.#transport, facts);
      const isTaken = await isOpen(submission.publish(facts.url, submission.headers, record));
      if (!isTaken) return answers.done(runId, "workflow-already-ended");
    }
    return answers.done(runId, "fromCallback");
  }

  async #failure(incoming: Incoming): Promise<Response> {
    const facts = runFactsOf(incoming.headers, incoming.url);
    const { onFailure } = this.#options;
    if (onFailure === undefined) return answers.noFailureFunction(facts.runId);
    const { payloadText, ...report } = readFailure(incoming.body);
    if (this.#receiver === undefined) {
      const verdict = await this.#probe(incoming, facts, payloadText);
      if (verdict.kind === "refused") return turnedAway(verdict);
    }
    const view = await this.#view(incoming, facts, payloadText);
    return answers.failureDone(await onFailure({ ...view, ...report }));
  }

  async #probe(incoming: Incoming, facts: RunFacts, payloadText: string): Promise<Verdict> {
    const view = await this.#view(incoming, facts, payloadText);
    return probe((steps: Steps) => this.#run(new Context(view, steps)));
  }

  async #view(
    { headers }: Incoming,
    facts: RunFacts,
    payloadText: string,
  ): Promise<RunView<Payload>> {
    return {
      payload: await readPayload(payloadText, this.#options),
      headers: ownHeaders(headers),
      url: facts.url,
      runId: facts.runId,
      createdAt: facts.createdAt,
      labels: (headers.get(HEADERS.label) ?? "").split(",").filter((label) => label !== ""),
      retried: Number(headers.get(HEADERS.retried) ?? 0),
    };
  }
}

async function conclude(outcome: Outcome, submission: Submission): Promise<Response> {
  const { runId } = submission.run;
  switch (outcome.kind) {
    case "finished":
      await submission.finish(outcome.result);
      return said(submission);
    case "submitted":
      return said(submission);
    case "discarded":
    case "cancelled":
      return answers.done(runId, "success");
    case "ended":
      return answers.done(runId, "workflow-already-ended");
    case "refused":
      return answers.refused();
    case "failed":
      return answers.failed(outcome.error, outcome.stepName);
  }
}

function said({ reply, run }: Submission): Response {
  return reply === undefined ? answers.done(run.runId, "success") : answers.reply(reply);
}

function turnedAway(verdict: Exclude<Verdict, { kind: "passed" }>): Response {
  return verdict.kind === "refused" ? answers.refused() : answers.failed(verdict.error);
}

/** False if the service took nothing because the run has ended. */
async function isOpen(submitted: Promise<void>): Promise<boolean> {
  try {
    await submitted;
    return true;
  } catch (error) {
    if (error instanceof RunEnded) return false;
    throw error;
  }
}

/** Runtimes and frameworks pass all kinds of things beside a request. */
function holdsVariables(value: unknown): value is Environment {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).some((name) => name.startsWith("POSTRIDER_"));
}

const NO_VARIABLES: Environment = {};
