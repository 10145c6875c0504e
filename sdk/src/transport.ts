import { variableOf } from "./dev-server.ts";
import { apiErrorOf, ConnectionError, PostriderError } from "./errors.ts";
import { DEFAULT_PREFIX, requirePrefix, requireSendable, withPrefix } from "./header-prefix.ts";
import { type OptionNames, requireKnown, requireKnownWithin } from "./option-names.ts";
import { type Environment, pause } from "./runtime.ts";
import type { HeaderRecord } from "./settings.ts";
import type { BodyInput, HeadersInput } from "./web-types.ts";

export interface ClientOptions {
  /** The service's URL; `POSTRIDER_URL` if absent, else a service on this machine. */
  readonly baseUrl?: string | undefined;
  /** `POSTRIDER_TOKEN` if absent. */
  readonly token?: string | undefined;
  /** How often a request without a response, or with a 503, is sent again; false for never. */
  readonly retry?: RetryOptions | false | undefined;
  /**
   * Whether a message, trigger or schedule gets an id that is drawn for the call, so that a repeated
   * request is stored once; true if absent.
   */
  readonly deduplicate?: boolean | undefined;
  /** Sent to the destination of every message, unless the message has a header of the same name. */
  readonly headers?: HeadersInput | undefined;
  readonly fetch?: typeof fetch | undefined;
  /**
   * The prefix of setting names, `Svc-` if absent. With `Upstash-`, messages are sent, signed and
   * called back as receivers of that dialect expect.
   */
  readonly headerPrefix?: string | undefined;
}

export interface RetryOptions {
  readonly retries: number;
  /** Milliseconds before retry `n`, which counts from 0. */
  readonly backoff?: ((n: number) => number) | undefined;
}

export const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  baseUrl: true,
  token: true,
  retry: true,
  deduplicate: true,
  headers: true,
  fetch: true,
  headerPrefix: true,
};
const RETRY: OptionNames<RetryOptions> = { retries: true, backoff: true };

export interface Call {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: BodyInput | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A request that may have arrived is not sent again: a second one would make something twice. */
  readonly isOnce?: boolean | undefined;
}

/** Parameters of a request; an array is sent as one parameter for each of its values. */
export type Query = Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;
type QueryValue = string | number | boolean | Date;

/** Sends requests to the service, and turns its refusals into errors. */
export class Transport {
  readonly baseUrl: string;
  readonly token: string;
  /** Whether what is sent needs an id, since a request may be repeated. */
  readonly deduplicates: boolean;
  readonly #fetch: typeof fetch;
  readonly #prefix: string;
  readonly #retries: number;
  readonly #backoff: (n: number) => number;

  constructor(options: ClientOptions, environment: Environment = {}) {
    requireKnown("a client", options, CLIENT_OPTIONS);
    requireKnownWithin("retry", options.retry, RETRY);
    const baseUrl = options.baseUrl ?? variableOf("POSTRIDER_URL", environment) ?? DEFAULT_URL;
    const token = options.token ?? variableOf("POSTRIDER_TOKEN", environment);
    if (token === undefined || token === "") {
      throw new PostriderError("a token is needed: pass it as token, or set POSTRIDER_TOKEN");
    }
    if (!/^https?:\/\/./.test(baseUrl)) {
      throw new PostriderError(`baseUrl must start with http:// or https://, but is ${baseUrl}`);
    }
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.token = token;
    this.#prefix = requirePrefix(options.headerPrefix ?? DEFAULT_PREFIX);
    this.#fetch = options.fetch ?? ((...request) => fetch(...request));
    const retry = options.retry === false ? { retries: 0 } : (options.retry ?? DEFAULT_RETRY);
    this.#retries = retry.retries;
    this.#backoff = retry.backoff ?? DEFAULT_RETRY.backoff;
    this.deduplicates = options.deduplicate !== false && retry.retries > 0;
  }

  /** Headers with the prefix of the dialect. */
  named(headers: HeaderRecord = {}): HeaderRecord {
    return withPrefix(headers, this.#prefix);
  }

  /** The response to a request; any status but 2xx is thrown. */
  async send(call: Call): Promise<Response> {
    requireBody(call.body);
    const authorization = { Authorization: `Bearer ${this.token}` };
    const headers = requireSendable({ ...this.named(call.headers), ...authorization });
    const path = call.path + queryText(call.query);
    for (let n = 0; ; n++) {
      const response = await this.#attempt({ ...call, path, headers }, n);
      if (response?.ok === true) return response;
      if (response !== undefined && (response.status !== 503 || !this.#mayRepeat(call, n))) {
        throw await apiErrorOf(response);
      }
      await response?.body?.cancel();
      await pause(this.#backoff(n), call.signal);
    }
  }

  async json<Answer>(call: Call): Promise<Answer> {
    const response = await this.send(call);
    try {
      return (await response.json()) as Answer;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const sentence = `${this.baseUrl} answered with something else than JSON; is it the address of a Postrider server?`;
      throw new PostriderError(sentence, { cause: error });
    }
  }

  /** A stream is read by the first request. */
  #mayRepeat(call: Call, n: number): boolean {
    return n < this.#retries && call.isOnce !== true && !isStream(call.body);
  }

  /** With all headers, and the query in the path. Undefined when there was no response and retries are left. */
  async #attempt(call: Call, n: number): Promise<Response | undefined> {
    try {
      return await this.#fetch(`${this.baseUrl}${call.path}`, {
        method: call.method,
        headers: call.headers ?? {},
        ...(call.body !== undefined && { body: call.body }),
        // Runtimes send no stream without it.
        ...(isStream(call.body) && { duplex: "half" }),
        ...(call.signal !== undefined && { signal: call.signal }),
      });
    } catch (error) {
      if (call.signal?.aborted === true) throw error;
      const isOnce = call.isOnce === true && !hasNotLeft(error);
      if (this.#mayRepeat({ ...call, isOnce }, n)) return undefined;
      throw new ConnectionError(`${this.baseUrl} did not answer`, { cause: error });
    }
  }
}

/** True where the runtime tells that no connection was made. */
function hasNotLeft(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return NOT_CONNECTED.has(cause?.code);
}

/** One segment of a path; also a destination, which the service accepts encoded as a whole. */
export function segment(text: string): string {
  if (typeof text !== "string") throw new PostriderError(`a name is needed, not ${String(text)}`);
  if (text === "" || text === "." || text === "..") {
    throw new PostriderError(`${JSON.stringify(text)} is not a name that a path can hold`);
  }
  return encodeURIComponent(text);
}

/** A plain object would be sent as `[object Object]`, which the compiler does not see in JavaScript. */
function requireBody(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  const kind: unknown = Object.getPrototypeOf(body);
  if (kind !== Object.prototype && kind !== null && !Array.isArray(body)) return;
  throw new PostriderError("a body is text or bytes; publishJSON and enqueueJSON send an object");
}

function isStream(body: BodyInput | undefined): boolean {
  return body instanceof ReadableStream;
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, given] of Object.entries(query)) {
    if (given === undefined) continue;
    for (const value of valuesOf(name, given)) {
      parameters.append(name, value instanceof Date ? String(value.getTime()) : String(value));
    }
  }
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** A condition that got lost would select what it was to leave out: all messages, without another. */
function valuesOf(name: string, given: unknown): QueryValue[] {
  const values: unknown[] = Array.isArray(given) ? given : [given];
  if (values.length === 0)
    throw new PostriderError(`${name} is an empty list; leave it out for any`);
  for (const value of values) {
    if (value === undefined || value === null) {
      throw new PostriderError(`${name} must have a value, but one is ${String(value)}`);
    }
  }
  return values as QueryValue[];
}

const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const DEFAULT_URL = "http://127.0.0.1:8080";
const DEFAULT_RETRY = { retries: 5, backoff: (n: number) => Math.min(5_000, 100 * 2 ** n) };
