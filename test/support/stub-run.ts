import { createHash, createHmac } from "node:crypto";
import type { Handler } from "../../sdk/src/sdk.ts";

export interface OutsideAnswer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StubOptions {
  /** Workflow endpoints, by their URLs. */
  readonly endpoints: Readonly<Record<string, Handler>>;
  /** Third parties that steps call. */
  readonly outside?: (request: { url: string; method: string; body: string }) => OutsideAnswer;
  /** Draws from 0 to 1; decides the order of what is due, and where faults strike. */
  readonly random?: () => number;
  /** How likely a fault is at each of the points where one can strike. */
  readonly faultRate?: number;
  /** How often a failed delivery is tried again. */
  readonly retries?: number;
  /** Whether a step that is submitted twice is kept twice, as a careless service might. */
  readonly keepsDuplicates?: boolean;
  /** Runs beyond this size are not sent but have to be asked for. */
  readonly lazyBytes?: number;
  /** Larger steps and results of runs are refused. */
  readonly stepBytesMax?: number;
  readonly resultBytesMax?: number;
  /** Deliveries are signed with it. */
  readonly signingKey?: string;
}

/** What an SDK submits: an item of a batch. */
export interface Submitted {
  readonly destination: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface StubMessage {
  readonly kind: "step" | "call" | "callback" | "failure";
  readonly run: StubRun;
  /** How many entries of the run a delivery of this message holds. */
  readonly ordinal: number;
  readonly messageId: string;
  readonly item: Submitted;
  /** Seconds. */
  readonly dueAt: number;
  readonly retried: number;
}

export interface StubStep {
  readonly stepId: number;
  readonly stepName: string;
  readonly stepType: string;
  readonly concurrent: number;
  readonly targetStep?: number;
  readonly out?: string;
}

export interface StubWait {
  readonly run: StubRun;
  readonly eventId: string;
  readonly step: StubStep;
  readonly deadline: number;
}

/** A run as the stub of the service keeps it. */
export class StubRun {
  readonly runId: string;
  readonly url: string;
  readonly createdAt: number;
  /** Headers of the trigger. */
  readonly headers: Readonly<Record<string, string>>;
  readonly entries: { messageId: string; callType: string; body: string }[] = [];
  /** What was submitted, by what it is about, so that it is taken once. */
  readonly keys = new Map<string, string>();
  waits: StubWait[] = [];
  /** Events for this run that came before it waited. */
  readonly events = new Map<string, string[]>();
  state: "started" | "success" | "failed" | "canceled" = "started";
  result: string | undefined;
  invoker: { readonly run: StubRun; readonly step: StubStep } | undefined;

  constructor(runId: string, url: string, createdAt: number, headers: StubRun["headers"]) {
    this.runId = runId;
    this.url = url;
    this.createdAt = createdAt;
    this.headers = headers;
  }

  /** The steps that have a result, by their numbers. */
  get results(): StubStep[] {
    const steps = this.entries.slice(1).map(({ body }) => JSON.parse(text(body)) as StubStep);
    return steps.filter(({ stepId }) => stepId > 0).toSorted((a, b) => a.stepId - b.stepId);
  }

  request(message: StubMessage, { lazyBytes = Infinity, signingKey }: StubOptions): Request {
    const { kind, item, ordinal, messageId, retried } = message;
    // With blanks, so that a body which was parsed and written anew shows.
    const entries = JSON.stringify(this.entries.slice(0, ordinal), undefined, 1);
    const shown = entries.length > lazyBytes ? "" : entries;
    const prefix = {
      step: "Svc-Forward-",
      callback: "Svc-Callback-Forward-",
      failure: "-",
      call: "-",
    };
    const headers = new Headers({
      ...forwarded(this.headers, "Svc-Forward-"),
      ...forwarded(item.headers, prefix[kind]),
      "Svc-Workflow-RunId": this.runId,
      "Svc-Workflow-CreatedAt": String(this.createdAt),
      "Svc-Message-Id": messageId,
      "Svc-Retried": String(retried),
    });
    if (kind === "step") headers.set("Svc-Workflow-Sdk-Version", "1");
    if (kind === "failure") headers.set("Svc-Workflow-Is-Failure", "true");
    const body = kind === "step" ? shown : (item.body ?? "");
    if (signingKey !== undefined) {
      const claims = { kind, run: `${this.runId}@${this.createdAt}` };
      headers.set("Svc-Signature", sign(body, signingKey, item.destination, claims));
    }
    return new Request(item.destination, { method: "POST", headers, body });
  }
}

function forwarded(headers: StubRun["headers"], prefix: string): Record<string, string> {
  const named = Object.entries(headers).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(named.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** A token as the service makes it. */
export function sign(body: string, key: string, url: string, more: object = {}): string {
  const claims = {
    iss: "Svc",
    sub: url,
    exp: Math.ceil(Date.now() / 1_000) + 300,
    nbf: 0,
    body: createHash("sha256").update(body).digest("base64url"),
    ...more,
  };
  const parts = [{ alg: "HS256", typ: "JWT" }, claims];
  const signed = parts
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

function text(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
