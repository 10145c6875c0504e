/** Runs, deliveries and the time of the stub of the service. */
import { type StubMessage, type StubOptions, StubRun, type Submitted } from "./stub-run.ts";

/** What came of one delivery. */
export interface Delivered {
  readonly message: StubMessage;
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

export class StubService {
  readonly runs = new Map<string, StubRun>();
  readonly deliveries: Delivered[] = [];
  readonly options: StubOptions;
  readonly #random: () => number;
  #due: StubMessage[] = [];
  #now = 1_700_000_000;
  #drawn = 0;

  constructor(options: StubOptions) {
    this.options = options;
    this.#random = options.random ?? (() => 0);
  }

  /** Seconds. */
  get now(): number {
    return this.#now;
  }

  trigger(url: string, payload = "", headers: Readonly<Record<string, string>> = {}): StubRun {
    const runId = headers["Svc-Workflow-RunId"] ?? `wfr_${this.draw()}`;
    const run = new StubRun(runId, url, this.#now * 1_000, headers);
    this.runs.set(runId, run);
    this.append(run, { destination: url, headers: {}, body: payload }, undefined);
    return run;
  }

  draw(): string {
    return String(++this.#drawn);
  }

  /** Appends an entry to a run, and delivers it when its time has come. */
  append(run: StubRun, item: Submitted, key: string | undefined): string {
    const known = key === undefined ? undefined : run.keys.get(key);
    if (known !== undefined && this.options.keepsDuplicates !== true) return known;
    const messageId = `msg_${this.draw()}`;
    if (key !== undefined) run.keys.set(key, messageId);
    run.entries.push({ messageId, callType: "step", body: base64(item.body ?? "") });
    const ordinal = run.entries.length;
    this.send({ kind: "step", run, ordinal, messageId, item, dueAt: this.dueAt(item.headers) });
    return messageId;
  }

  send(message: Omit<StubMessage, "retried">): void {
    this.#due.push({ ...message, retried: 0 });
  }

  dueAt(headers: Readonly<Record<string, string>>): number {
    const delay = /^(\d+)(s|m|h|d)$/.exec(headers["Svc-Delay"] ?? "0s");
    const unit = { s: 1, m: 60, h: 3_600, d: 86_400 }[delay?.[2] ?? "s"] ?? 1;
    return Math.max(
      this.#now + Number(delay?.[1] ?? 0) * unit,
      Number(headers["Svc-Not-Before"] ?? 0),
    );
  }

  /** Delivers all there is, jumping over the time in between, until nothing is due any more. */
  async drain(): Promise<void> {
    for (let round = 0; this.#due.length > 0 || this.#timeOutNext(); round++) {
      if (round > ROUNDS_MAX) throw new Error("the runs do not come to an end");
      this.#now = Math.max(this.#now, Math.min(...this.#due.map(({ dueAt }) => dueAt)));
      const ready = this.#due.filter(({ dueAt }) => dueAt <= this.#now);
      const count = 1 + Math.floor(this.#random() * Math.min(3, ready.length));
      const taken = ready.toSorted(() => this.#random() - 0.5).slice(0, count);
      this.#due = this.#due.filter((message) => !taken.includes(message));
      await Promise.all(taken.map((message) => this.#deliver(message)));
    }
  }

  async #deliver(message: StubMessage): Promise<void> {
    const { run, kind } = message;
    if (run.state !== "started" && kind !== "failure") return;
    if (kind === "call") return this.#callOutside(message);
    const handler = this.options.endpoints[message.item.destination];
    const response =
      (await handler?.(run.request(message, this.options))) ?? new Response("", { status: 404 });
    const body = await response.text();
    const { status, headers } = response;
    this.deliveries.push({ message, status, body, headers });
    if (response.ok && !this.faultStrikes()) return;
    const isFinal = status === 489 && headers.get("Svc-NonRetryable-Error") === "true";
    if (!isFinal && message.retried < (this.options.retries ?? 3)) {
      this.#due.push({ ...message, retried: message.retried + 1, dueAt: this.#now + 1 });
    } else if (kind !== "failure") {
      this.fail(run, { status, body });
    }
  }

  /** The call ends in one callback, whatever came of it. */
  #callOutside(message: StubMessage): void {
    const { run, item } = message;
    const request = {
      url: item.destination,
      method: item.headers["Svc-Method"] ?? "",
      body: item.body ?? "",
    };
    const answer = this.options.outside?.(request) ?? { status: 200 };
    const header = Object.entries(answer.headers ?? {}).map(([name, value]) => [name, [value]]);
    const body = JSON.stringify({
      status: answer.status,
      header: Object.fromEntries(header) as object,
      body: base64(answer.body ?? ""),
      retried: 0,
      maxRetries: 0,
    });
    const callback = { destination: run.url, headers: item.headers, body };
    const messageId = `msg_${this.draw()}`;
    this.send({ kind: "callback", run, ordinal: 0, messageId, item: callback, dueAt: this.#now });
  }

  end(run: StubRun, state: StubRun["state"], result?: string): void {
    if (run.state !== "started") return;
    run.state = state;
    run.result = result;
    const { invoker } = run;
    if (invoker === undefined || invoker.run.state !== "started") return;
    const outcome = {
      body: result || undefined,
      isCanceled: state === "canceled",
      isFailed: state === "failed",
    };
    const record = { ...invoker.step, out: JSON.stringify(outcome) };
    const item = { destination: invoker.run.url, headers: {}, body: JSON.stringify(record) };
    this.append(invoker.run, item, `r:${invoker.step.stepId}`);
  }

  fail(run: StubRun, { status, body }: { status: number; body: string }): void {
    if (run.state !== "started") return;
    this.end(run, "failed");
    const report = {
      status,
      header: {},
      body: base64(body),
      dlqId: "1-1",
      sourceBody: run.entries[0]?.body,
    };
    const item = { destination: run.url, headers: {}, body: JSON.stringify(report) };
    const messageId = `msg_${this.draw()}`;
    this.send({ kind: "failure", run, ordinal: 0, messageId, item, dueAt: this.#now });
  }

  #timeOutNext(): boolean {
    const waits = [...this.runs.values()].flatMap((run) =>
      run.state === "started" ? run.waits : [],
    );
    const next = waits.toSorted((a, b) => a.deadline - b.deadline)[0];
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.deadline);
    next.run.waits = next.run.waits.filter((wait) => wait !== next);
    const record = { ...next.step, waitEventId: next.eventId, waitTimeout: true };
    const item = { destination: next.run.url, headers: {}, body: JSON.stringify(record) };
    this.append(next.run, item, `r:${next.step.stepId}`);
    return true;
  }

  faultStrikes(): boolean {
    return this.#random() < (this.options.faultRate ?? 0);
  }
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

const ROUNDS_MAX = 20_000;
