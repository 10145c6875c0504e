/** The one way to the server: calls of its API, from the page that it serves. */
import { beginOnce } from "./changes-under-way.ts";
import { noteServerTime } from "./clock.ts";

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** A value is sent as JSON, a text or bytes as they are. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** One action of many, or one that only counts: what is shown is not read again after it. */
  readonly isQuiet?: boolean;
}

/** A refusal of the server, or its absence: `status` is 0 when it could not be reached. */
export class ApiError extends Error {
  readonly status: number;
  /** The header, parameter or field that was refused. */
  readonly field: string | null;

  constructor(status: number, sentence: string, field: string | null) {
    super(sentence);
    this.status = status;
    this.field = field;
  }

  /** This server does not have the endpoint, or the thing is gone. */
  get isMissing(): boolean {
    return this.status === 404;
  }
}

type Listener = () => void;
const onSignedOut = new Set<Listener>();

/** Called when the server no longer knows the session. */
export function whenSignedOut(listener: Listener): void {
  onSignedOut.add(listener);
}

const onChanged = new Set<(path: string) => void>();

/** Called after an action was done, with its path. */
export function whenChanged(listener: (path: string) => void): void {
  onChanged.add(listener);
}

export function noteChanged(path: string): void {
  for (const listener of onChanged) listener(path);
}

/** A change that is requested again before it is answered is made once, unless its caller can stop it. */
export function call<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, signal } = options;
  const ask = (): Promise<Answer> => askFor<Answer>(path, options);
  if (method === "GET" || signal !== undefined) return ask();
  return beginOnce({ method, path, headers, body }, ask);
}

async function askFor<Answer>(path: string, options: CallOptions): Promise<Answer> {
  const response = await send(path, options);
  const text = await response.text();
  const answer = parse(text);
  if (response.ok) {
    const { method = "GET", isQuiet = false } = options;
    if (method !== "GET" && !isQuiet) noteChanged(path);
    return answer as Answer;
  }
  if (response.status === 401 && !path.startsWith("/v2/session")) {
    for (const listener of onSignedOut) listener();
  }
  const { error, field } = (answer ?? {}) as { error?: string; field?: string };
  throw new ApiError(
    response.status,
    error ?? `The server answered ${response.status}`,
    field ?? null,
  );
}

async function send(path: string, { method = "GET", headers, body, signal }: CallOptions) {
  const isText = typeof body === "string" || body === undefined || body instanceof Uint8Array;
  try {
    const response = await fetch(path, {
      method,
      headers: {
        ...(isText ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: isText ? ((body as BodyInit | undefined) ?? null) : JSON.stringify(body),
      signal: signal ?? null,
      credentials: "same-origin",
      cache: "no-store",
    });
    noteServerTime(response.headers.get("date"));
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "Cannot reach the server", null);
  }
}

function parse(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** A path with a query of the values that are set. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}
