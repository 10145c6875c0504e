/** What one account asks of a service, in the words of the API. */
import assert from "node:assert/strict";
import { requireDocumented } from "./documented-answers.ts";
import { eventually } from "./eventually.ts";
import { call, type CallAnswer, type CallOptions } from "./http-call.ts";

/** What a list of the API holds, as far as tests look at it. */
export type Item = Readonly<Record<string, unknown>>;

type Headers = NonNullable<CallOptions["headers"]>;
type Body = string | Uint8Array;

/** No list of a test has more. */
const PAGES_MAX = 200;

export class AccountCalls {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  /** A call with the token of the account, unless told otherwise. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<CallAnswer> {
    const answer = await call(this.url, method, path, { token: this.token, ...options });
    requireDocumented(method, path, answer);
    return answer;
  }

  async status(method: string, path: string, options?: CallOptions): Promise<number> {
    return (await this.call(method, path, options)).status;
  }

  /** Makes a call, given as method and path, that must be refused with a status and a sentence. */
  async refused(
    called: string,
    status: number,
    says: RegExp,
    options: CallOptions = {},
  ): Promise<CallAnswer> {
    const [method, path] = called.split(" ", 2) as [string, string];
    const answer = await this.call(method, path, options);
    const { headers = {}, body = "" } = options;
    const sent = [called, JSON.stringify(headers), Buffer.from(body).toString()];
    const what = `${sent.map((part) => part.slice(0, 120)).join(" ")}: ${answer.text}`;
    assert.equal(answer.status, status, what);
    assert.match(String(answer.json["error"]), says, what);
    return answer;
  }

  /** What is at a path; anything but that fails the test. */
  async get(path: string): Promise<Item> {
    return accepted(await this.call("GET", path)).json;
  }

  /** Sends something as JSON, and answers what was answered; a refusal fails the test. */
  async post(path: string, sent: unknown): Promise<Item> {
    return accepted(await this.call("POST", path, { body: JSON.stringify(sent) })).json;
  }

  /** The list that an answer holds by this name. */
  async list(path: string, name: string): Promise<Item[]> {
    return (await this.get(path))[name] as Item[];
  }

  /** The list that an answer is. */
  async all(path: string): Promise<Item[]> {
    return (await this.get(path)) as unknown as Item[];
  }

  /** The pages of a list, from the first to the one without a cursor. */
  async pages(path: string, name: string): Promise<Item[][]> {
    const pages: Item[][] = [];
    let cursor: string | undefined = "";
    while (cursor !== undefined && (cursor !== "" || pages.length === 0)) {
      const next: Item = await this.get(
        cursor === "" ? path : withParameter(path, "cursor", cursor),
      );
      pages.push(next[name] as Item[]);
      assert.ok(pages.length <= PAGES_MAX, `${path} does not end`);
      cursor = next["cursor"] as string | undefined;
    }
    return pages;
  }

  /** Publishes and answers the id; anything but an acceptance fails the test. */
  publish(destination: string, headers: Headers = {}, body: Body = ""): Promise<string> {
    return this.#send(`/v2/publish/${destination}`, headers, body);
  }

  enqueue(queue: string, url: string, headers: Headers = {}, body: Body = ""): Promise<string> {
    return this.#send(`/v2/enqueue/${queue}/${url}`, headers, body);
  }

  /** What is answered to each item. */
  async batch(items: readonly object[]): Promise<Item[]> {
    return (await this.post("/v2/batch", items)) as unknown as Item[];
  }

  /** Starts a run and answers its id. */
  async trigger(url: string, headers: Headers = {}, body: Body = ""): Promise<string> {
    const answer = await this.call("POST", `/v2/trigger/${url}`, { headers, body });
    return accepted(answer).json["workflowRunId"] as string;
  }

  /** Adds endpoints to a URL group, which is made if need be. */
  async addEndpoints(group: string, ...urls: readonly string[]): Promise<void> {
    await this.post(`/v2/topics/${group}/endpoints`, { endpoints: urls.map((url) => ({ url })) });
  }

  message(messageId: string): Promise<Item> {
    return this.get(`/v2/messages/${messageId}`);
  }

  /** The log of one message, oldest entry first. */
  async log(messageId: string): Promise<Item[]> {
    return (await this.list(`/v2/logs?messageId=${messageId}`, "logs")).toReversed();
  }

  /** The log of one message, once it has an entry of that state. */
  logUntil(messageId: string, state: string): Promise<Item[]> {
    return eventually(async () => {
      const entries = await this.log(messageId);
      return entries.some((entry) => entry["state"] === state) ? entries : null;
    }, `${messageId} ${state}`);
  }

  /** The states of a message in their order, once it has come to the last one given. */
  async statesUntil(messageId: string, state: string): Promise<unknown[]> {
    return (await this.logUntil(messageId, state)).map((entry) => entry["state"]);
  }

  /** The dead letters that a query finds, newest first. */
  deadLetters(query = ""): Promise<Item[]> {
    return this.list(`/v2/dlq?${query}`, "messages");
  }

  /** The same, once there are so many. */
  deadLettersUntil(count: number, query = ""): Promise<Item[]> {
    return eventually(async () => {
      const letters = await this.deadLetters(query);
      return letters.length === count ? letters : null;
    }, `${count} dead letters`);
  }

  /** The dead letter of a message that has failed. */
  async deadLetterOf(messageId: string): Promise<DeadLetter> {
    const [letter] = await this.deadLettersUntil(1, `messageId=${messageId}`);
    return letter as DeadLetter;
  }

  /** The failed run, once it is one. */
  failedRun(runId: string): Promise<DeadLetter> {
    return eventually(async () => {
      const [run] = await this.list(`/v2/workflows/dlq?workflowRunId=${runId}`, "messages");
      return (run as DeadLetter | undefined) ?? null;
    }, `${runId} has failed`);
  }

  async #send(path: string, headers: Headers, body: Body): Promise<string> {
    const answer = await this.call("POST", path, { headers, body });
    return accepted(answer).json["messageId"] as string;
  }
}

export interface DeadLetter extends Item {
  readonly dlqId: string;
}

function accepted(answer: CallAnswer): CallAnswer {
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, "http://path");
  url.searchParams.set(name, value);
  return `${url.pathname}${url.search}`;
}
