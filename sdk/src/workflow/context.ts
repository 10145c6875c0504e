import type { Duration } from "../duration.ts";
import type { Instant } from "../settings.ts";
import { WorkflowError } from "./errors.ts";
import { siblingUrl, type Workflow } from "./siblings.ts";
import type { Steps } from "./replay.ts";
import type { Step } from "./step.ts";
import { type CallRequest, type CallResult, callStep } from "./steps/call.ts";
import { type InvokeResult, type InvokeSettings, invokeStep } from "./steps/invoke.ts";
import { type NotifyResult, notifyStep } from "./steps/notify.ts";
import { runStep } from "./steps/run.ts";
import { sleepStep, sleepUntilStep } from "./steps/sleep.ts";
import { type WaitOptions, type WaitResult, waitStep } from "./steps/wait.ts";
import {
  createWebhookStep,
  waitForWebhookStep,
  type Webhook,
  type WebhookResult,
} from "./steps/webhook.ts";

/** The known facts of a run when its function begins. */
export interface RunView<Payload> {
  readonly payload: Payload;
  /** Headers that the run was started with. */
  readonly headers: Headers;
  readonly url: string;
  readonly runId: string;
  readonly createdAt: number;
  readonly labels: readonly string[];
  /** How many attempts of this delivery came before. */
  readonly retried: number;
}

/**
 * The API of a workflow function. Each step has a name and is done once: when the function runs
 * again, a step with a result returns it. Steps that are called without waiting for one another, as
 * with Promise.all, run in parallel.
 */
export class Context<Payload = unknown> implements RunView<Payload> {
  readonly payload: Payload;
  readonly url: string;
  readonly runId: string;
  readonly createdAt: number;
  readonly labels: readonly string[];
  readonly retried: number;
  readonly #run: RunView<Payload>;
  readonly #steps: Steps;

  constructor(run: RunView<Payload>, steps: Steps) {
    this.payload = run.payload;
    this.url = run.url;
    this.runId = run.runId;
    this.createdAt = run.createdAt;
    this.labels = run.labels;
    this.retried = run.retried;
    this.#run = run;
    this.#steps = steps;
  }

  get headers(): Headers {
    return this.#run.headers;
  }

  /** The number of this attempt of the delivery, 1 for the first. */
  get attempt(): number {
    return this.retried + 1;
  }

  /** The payload under the name of other SDKs. */
  get requestPayload(): Payload {
    return this.payload;
  }

  get workflowRunId(): string {
    return this.runId;
  }

  /** Does work, and stores its result as JSON. If it throws, it is tried again. */
  run<Result>(name: string, work: () => Result | Promise<Result>): Promise<Result> {
    return this.#call(name, () => runStep(name, work));
  }

  sleep(name: string, duration: Duration): Promise<void> {
    return this.#call(name, () => sleepStep(name, duration));
  }

  /** Until a date, or unix seconds. */
  sleepUntil(name: string, instant: Instant | string): Promise<void> {
    return this.#call(name, () => sleepUntilStep(name, instant));
  }

  /** Makes the service send a request, which may take long; a failed one is a result too. */
  call<Body = unknown>(name: string, request: CallRequest): Promise<CallResult<Body>> {
    return this.#call(name, () => callStep<Body>(name, request));
  }

  waitForEvent<Data = unknown>(
    name: string,
    eventId: string,
    options?: WaitOptions,
  ): Promise<WaitResult<Data>> {
    return this.#call(name, () => waitStep<Data>(name, eventId, options));
  }

  /** Notifies the runs that wait for an event, or one run. */
  notify(
    name: string,
    eventId: string,
    eventData?: unknown,
    workflowRunId?: string,
  ): Promise<NotifyResult> {
    return this.#call(name, () => notifyStep(name, eventId, eventData, workflowRunId));
  }

  /** Starts another workflow and waits for its end. */
  invoke<Body = unknown>(
    name: string,
    settings: InvokeSettings & ({ readonly url: string } | { readonly workflow: Workflow }),
  ): Promise<InvokeResult<Body>> {
    const url = "url" in settings ? settings.url : siblingUrl(this.url, settings.workflow);
    return this.#call(name, () => invokeStep<Body>(name, url, settings));
  }

  createWebhook(name: string): Promise<Webhook> {
    return this.#call(name, () => createWebhookStep(name));
  }

  waitForWebhook(name: string, webhook: Webhook, options?: WaitOptions): Promise<WebhookResult> {
    return this.#call(name, () => waitForWebhookStep(name, webhook, options));
  }

  /** Ends the run as canceled; nothing after this is done. */
  cancel(): Promise<never> {
    return this.#steps.cancel();
  }

  /** Writes to the console, but not again when the function is replayed. */
  log(...values: unknown[]): void {
    if (!this.#steps.isReplaying) console.log(...values);
  }

  #call<Result>(name: string, make: () => Step<Result>): Promise<Result> {
    if (typeof name !== "string" || name === "") {
      return Promise.reject(new WorkflowError("a step needs a name, a text that is not empty"));
    }
    try {
      return this.#steps.call(make());
    } catch (error) {
      return Promise.reject(error);
    }
  }
}
