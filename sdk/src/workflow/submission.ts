import { ApiError } from "../errors.ts";
import { type HeaderRecord, headerUrl } from "../settings.ts";
import { segment, type Transport } from "../transport.ts";
import { NonRetryableError } from "./errors.ts";
import { jsonOf } from "./json.ts";
import { type Reply, ReplyCollector } from "./reply.ts";
import type { StepRecord } from "./step-record.ts";

/** The run of a delivery. */
export interface RunFacts {
  readonly runId: string;
  readonly createdAt: number;
  /** The URL of its deliveries. */
  readonly url: string;
  /** How deep it is below the run that was not invoked. */
  readonly invokeCount: number;
}

/** Thrown when the service accepts nothing more for a run, because it has ended. */
export class RunEnded extends Error {}

export interface OutboundItem {
  readonly destination: string;
  readonly headers: HeaderRecord;
  readonly body: string | undefined;
}

/** Submits steps and results of a run to the service. */
export class Submission {
  readonly run: RunFacts;
  readonly transport: Transport;
  readonly #replies: ReplyCollector;

  constructor(transport: Transport, run: RunFacts, replies = new ReplyCollector(0)) {
    this.transport = transport;
    this.run = run;
    this.#replies = replies;
  }

  /** The reply that the response to the delivery must contain. */
  get reply(): Reply | undefined {
    return this.#replies.reply;
  }

  /** Headers of every message of this run. */
  get headers(): HeaderRecord {
    const { url, invokeCount } = this.run;
    return this.transport.named({
      "Content-Type": "application/json",
      "Svc-Method": "POST",
      "Svc-Workflow-Init": "false",
      ...this.#identity,
      "Svc-Workflow-Url": headerUrl(url),
      "Svc-Workflow-Sdk-Version": PROTOCOL_VERSION,
      "Svc-Forward-Svc-Workflow-Sdk-Version": PROTOCOL_VERSION,
      "Svc-Feature-Set": FEATURE_SET,
      ...(invokeCount > 0 && { "Svc-Forward-Svc-Workflow-Invoke-Count": String(invokeCount) }),
    });
  }

  /** An id may be reused, so the creation time belongs to the run's identity. */
  get #identity(): HeaderRecord {
    const { runId, createdAt } = this.run;
    const created = createdAt > 0 && { "Svc-Workflow-CreatedAt": String(createdAt) };
    return { "Svc-Workflow-RunId": runId, ...created };
  }

  /** Records steps, results or plans, all or none. */
  async record(steps: readonly { record: StepRecord; timing?: HeaderRecord }[]): Promise<void> {
    const items = steps.map(({ record, timing }) => ({ body: JSON.stringify(record), timing }));
    const isDueNow = items.every(({ timing }) => timing === undefined);
    if (isDueNow && this.#replies.take({ steps: items.map(({ body }) => body) })) return;
    await this.send(
      items.map(({ body, timing }) => ({
        destination: this.run.url,
        headers: { ...this.headers, ...timing },
        body,
      })),
    );
  }

  async send(items: readonly OutboundItem[]): Promise<void> {
    const named = items.map((item) => ({ ...item, headers: this.transport.named(item.headers) }));
    const answers = await this.#ask<unknown>("POST", "/v2/batch", JSON.stringify(named));
    for (const answer of Array.isArray(answers) ? (answers as { error?: string }[]) : []) {
      if (typeof answer.error === "string") throw new NonRetryableError(answer.error);
    }
  }

  /** Publishes one message of the run; the body is JSON. */
  async publish(destination: string, headers: HeaderRecord, body: unknown): Promise<void> {
    const path = `/v2/publish/${segment(destination)}`;
    await this.#ask("POST", path, JSON.stringify(body), headers);
  }

  async wait(eventId: string, body: object): Promise<void> {
    const headers = { ...this.headers, "Svc-Workflow-CallType": "step" };
    await this.#ask("POST", `/v2/wait/${segment(eventId)}`, JSON.stringify(body), headers);
  }

  /** Ends the run with the value that the function returned. */
  async finish(result: unknown): Promise<void> {
    const body = jsonOf("what the function returned", result);
    if (this.#replies.take({ result: body ?? "" })) return;
    const path = `/v2/workflows/runs/${segment(this.run.runId)}`;
    const headers = { ...this.#identity, "Content-Type": "text/plain;charset=UTF-8" };
    const call = { method: "DELETE", path, query: { cancel: false }, headers, body } as const;
    await this.transport.send(call).catch(failForGood);
  }

  async cancel(): Promise<void> {
    const path = `/v2/workflows/runs/${segment(this.run.runId)}`;
    const headers = this.#identity;
    await this.transport.send({ method: "DELETE", path, query: { cancel: true }, headers });
  }

  /** Every 400 means that the run has ended, which is not a failure: nothing is left to do. */
  async #ask<Answer>(
    method: "POST",
    path: string,
    body: string,
    headers: HeaderRecord = { "Content-Type": "application/json" },
  ): Promise<Answer> {
    try {
      return await this.transport.json<Answer>({ method, path, headers, body });
    } catch (error) {
      if (error instanceof ApiError && error.status === 400) throw new RunEnded(error.message);
      return failForGood(error);
    }
  }
}

/** Makes the run fail where another attempt would be refused again. */
function failForGood(error: unknown): never {
  if (!(error instanceof ApiError) || !REFUSED_FOR_GOOD.has(error.status)) throw error;
  throw new NonRetryableError(error.message, { cause: error });
}

export const PROTOCOL_VERSION = "1";
export const FEATURE_SET = "LazyFetch,InitialBody,WF_DetectTrigger,WF_TriggerOnConfig";
/** Over a limit, too large, or malformed. */
const REFUSED_FOR_GOOD: ReadonlySet<number> = new Set([412, 413, 422]);
