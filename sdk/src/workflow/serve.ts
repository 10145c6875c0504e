import { type Claims, Receiver } from "../receiver.ts";
import type { Environment } from "../runtime.ts";
import { Transport } from "../transport.ts";
import { SignatureError } from "../errors.ts";
import * as answers from "./answers.ts";
import { readCallback } from "./callback.ts";
import { Context, type RunView } from "./context.ts";
import { entriesOf, fetchEntries, kindOf, payloadTextOf, runFactsOf } from "./delivery.ts";
import { inEitherDialect } from "./dialects.ts";
import { readFailure } from "./failure.ts";
import { History } from "./history.ts";
import {
  type Answer,
  type Answering,
  type HeaderView,
  type Incoming,
  incomingOf,
  responseOf,
} from "./incoming.ts";
import { logFailure } from "./logger.ts";
import { readPayload } from "./payload.ts";
import { probe, type Verdict } from "./probe.ts";
import { HEADERS, ownHeaders } from "./protocol.ts";
import { type Outcome, Replay, type Steps } from "./replay.ts";
import { ReplyCollector } from "./reply.ts";
import { requireSignedAs } from "./signed-delivery.ts";
import { startRun } from "./start.ts";
import { RunEnded, type RunFacts, Submission } from "./submission.ts";
import type { Handler } from "./siblings.ts";
import { warnWithoutUrl } from "./url-warning.ts";
import { requireServeOptions, type ServeOptions, type WorkflowFunction } from "./options.ts";

/** Makes an endpoint from a function: to be called by POST, by the service or to start a run. */
export function serve<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options: ServeOptions<Payload> = {},
): Handler {
  const answering = endpointOf(run, options);
  return async (request, environment) =>
    responseOf(await answering(await incomingOf(request), environment));
}

/** The same for adapters, which write responses for their servers. */
export function endpointOf<Payload = unknown, Result = unknown>(
  run: WorkflowFunction<Payload, Result>,
  options: ServeOptions<Payload> = {},
): Answering {
  requireServeOptions(options);
  const endpoints = new WeakMap<object, Endpoint<Payload, Result>>();
  const answering: Answering = async (incoming, environment) => {
    if (incoming.method !== "POST") return answers.methodNotAllowed();
    try {
      const variables = holdsVariables(environment) ? environment : NO_VARIABLES;
      const endpoint = endpoints.get(variables) ?? new Endpoint(run, options, variables);
      endpoints.set(variables, endpoint);
      return await endpoint.answer(incoming);
    } catch (error) {
      logFailure(options.logger, incoming.headers, error);
      return answers.failed(error);
    }
  };
  return inEitherDialect(options.verbose === true ? logged(answering) : answering);
}

/** Logs requests and responses to the console, without the data of runs. */
function logged(answering: Answering): Answering {
  return async (incoming, environment) => {
    const answer = await answering(incoming, environment);
    const { status, body } = answer;
    const run = incoming.headers.get(HEADERS.runId) ?? "no run yet";
    const reason = status < 400 ? "" : ` ${body}`;
    console.log(`workflow ${run}: ${kindOf(incoming.headers)} answered ${status}${reason}`);
    return answer;
  };
}

/** A delivery that is verified to come from the service. */
interface Delivery {
  readonly headers: HeaderView;
  readonly body: string;
  readonly url: string;
  /** Uses the dialect of the delivery, so that a run stays in one dialect. */
  readonly transport: Transport;
}

/** A workflow with its settings; kept from one delivery to the next. */
class Endpoint<Payload, Result> {
  readonly #run: WorkflowFunction<Payload, Result>;
  readonly #options: ServeOptions<Payload>;
  readonly #environment: Environment;
  readonly #transports = new Map<string | undefined, Transport>();
  readonly #receiver: Receiver | undefined;

  constructor(
    run: WorkflowFunction<Payload, Result>,
    options: ServeOptions<Payload>,
    environment: Environment,
  ) {
    this.#run = run;
    this.#options = options;
    this.#environment = environment;
    const { receiver = Receiver.fromEnvironment(environment) } = options;
    this.#receiver = receiver === false ? undefined : receiver;
  }

  async answer(incoming: Incoming): Promise<Answer> {
    const delivery = await this.#receive(incoming);
    try {
      return await this.#answer(delivery);
    } catch (error) {
      return this.#failed(delivery, error);
    }
  }

  #answer(delivery: Delivery): Promise<Answer> {
    switch (kindOf(delivery.headers)) {
      case "start":
        return this.#start(delivery);
      case "step":
        return this.#step(delivery);
      case "callback":
        return this.#callback(delivery);
      case "failure":
        return this.#failure(delivery);
    }
  }

  async #receive(incoming: Incoming): Promise<Delivery> {
    const { url: asked, headers, body, asRequest, prefix } = incoming;
    const { url: given } = this.#options;
    const url = typeof given === "function" ? given(asRequest()) : (given ?? asked);
    if (this.#receiver !== undefined) {
      const signature = headers.get(HEADERS.signature);
      if (signature === null) throw new SignatureError(`${HEADERS.signature} is missing`);
      const trustsProxy = this.#options.trustProxy === true;
      const own = { url, isGiven: given !== undefined, headers, trustsProxy };
      const checkClaims = (claims: Claims): void => requireSignedAs(claims, own);
      await this.#receiver.verify({ signature, body, checkClaims });
      warnWithoutUrl(this.#options, url);
    }
    const transport = this.#transportFor(prefix);
    return { headers, body: new TextDecoder().decode(body), url, transport };
  }

  #transportFor(headerPrefix: string | undefined): Transport {
    const options = { ...this.#options.client, headerPrefix };
    const known = this.#transports.get(headerPrefix) ?? new Transport(options, this.#environment);
    this.#transports.set(headerPrefix, known);
    return known;
  }

  async #start(delivery: Delivery): Promise<Answer> {
    const facts: RunFacts = { runId: "", createdAt: 0, url: delivery.url, invokeCount: 0 };
    const verdict = await this.#probe(delivery, facts, delivery.body);
    if (verdict.kind !== "passed") return this.#turnedAway(delivery, verdict);
    const { retries, retryDelay, flowControl } = this.#options;
    const runId = await startRun(delivery.transport, delivery, {
      retries,
      retryDelay,
      flowControl,
    });
    return answers.done(runId, "success");
  }

  async #step(delivery: Delivery): Promise<Answer> {
    const replies = ReplyCollector.of(delivery.headers);
    const facts = runFactsOf(delivery.headers, delivery.url);
    const entries = await entriesOf(delivery.body, delivery.headers, delivery.transport);
    if (entries === undefined) return answers.done(facts.runId, "workflow-already-ended");
    const history = History.of(entries);
    if (history.repeatsItself) return answers.done(facts.runId, "duplicate-step");
    const submission = new Submission(delivery.transport, facts, replies);
    const replay = new Replay(history, submission);
    const view = await this.#view(delivery, facts, payloadTextOf(entries));
    const outcome = await replay.follow(() => this.#run(new Context(view, replay)));
    if (outcome.kind === "failed") return this.#failed(delivery, outcome.error, outcome.stepName);
    return conclude(outcome, submission);
  }

  /** A signed result of a call is trusted; without a key the function decides first. */
  async #callback(delivery: Delivery): Promise<Answer> {
    const facts = runFactsOf(delivery.headers, delivery.url);
    const { runId } = facts;
    if (this.#receiver === undefined) {
      const entries = await fetchEntries(runId, delivery.transport);
      if (entries === undefined) return answers.done(runId, "workflow-already-ended");
      const verdict = await this.#probe(delivery, facts, payloadTextOf(entries));
      if (verdict.kind !== "passed") return this.#turnedAway(delivery, verdict);
    }
    const record = readCallback(delivery.body, delivery.headers);
    if (record !== undefined) {
      const submission = new Submission(delivery.transport, facts);
      const isTaken = await isOpen(submission.publish(facts.url, submission.headers, record));
      if (!isTaken) return answers.done(runId, "workflow-already-ended");
    }
    return answers.done(runId, "fromCallback");
  }

  async #failure(delivery: Delivery): Promise<Answer> {
    const facts = runFactsOf(delivery.headers, delivery.url);
    const { onFailure } = this.#options;
    if (onFailure === undefined) return answers.noFailureFunction(facts.runId);
    const { payloadText, ...report } = readFailure(delivery.body);
    if (this.#receiver === undefined) {
      const verdict = await this.#probe(delivery, facts, payloadText);
      if (verdict.kind === "refused") return answers.refused();
    }
    const view = await this.#view(delivery, facts, payloadText);
    return answers.failureDone(await onFailure({ ...view, ...report }));
  }

  #turnedAway(delivery: Delivery, verdict: Exclude<Verdict, { kind: "passed" }>): Answer {
    if (verdict.kind === "refused") return answers.refused();
    return this.#failed(delivery, verdict.error);
  }

  #failed({ headers }: Delivery, error: unknown, stepName?: string): Answer {
    logFailure(this.#options.logger, headers, error, stepName);
    return answers.failed(error, { stepName, isVerified: this.#receiver !== undefined });
  }

  async #probe(delivery: Delivery, facts: RunFacts, payloadText: string): Promise<Verdict> {
    const view = await this.#view(delivery, facts, payloadText);
    return probe((steps: Steps) => this.#run(new Context(view, steps)));
  }

  async #view(
    { headers }: Delivery,
    facts: RunFacts,
    payloadText: string,
  ): Promise<RunView<Payload>> {
    let own: Headers | undefined;
    return {
      payload: await readPayload(payloadText, this.#options),
      // Few functions read them.
      get headers() {
        return (own ??= ownHeaders(headers));
      },
      url: facts.url,
      runId: facts.runId,
      createdAt: facts.createdAt,
      labels: (headers.get(HEADERS.label) ?? "").split(",").filter((label) => label !== ""),
      retried: Number(headers.get(HEADERS.retried) ?? 0),
    };
  }
}

async function conclude(
  outcome: Exclude<Outcome, { kind: "failed" }>,
  submission: Submission,
): Promise<Answer> {
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
  }
}

function said({ reply, run }: Submission): Answer {
  return reply === undefined ? answers.done(run.runId, "success") : answers.reply(reply);
}

/** False if the service accepted nothing because the run has ended. */
async function isOpen(submitted: Promise<void>): Promise<boolean> {
  try {
    await submitted;
    return true;
  } catch (error) {
    if (error instanceof RunEnded) return false;
    throw error;
  }
}

/** Runtimes and frameworks pass various values beside a request. */
function holdsVariables(value: unknown): value is Environment {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).some((name) => name.startsWith("POSTRIDER_"));
}

const NO_VARIABLES: Environment = {};
