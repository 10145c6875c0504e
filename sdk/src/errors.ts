/** The base of every error of this package. */
export class PostriderError extends Error {
  override readonly name: string = "PostriderError";
}

/** The service could not be reached, or did not answer. */
export class ConnectionError extends PostriderError {
  override readonly name = "ConnectionError";
}

/** The service refused a request; the message is the service's sentence, which names the field. */
export class ApiError extends PostriderError {
  override readonly name: string = "ApiError";
  readonly status: number;
  /** The kind of refusal, such as `invalid-request`, if the service named it. */
  readonly code: string | undefined;
  /** The header, parameter or member that the sentence is about. */
  readonly field: string | undefined;
  /** What may help. */
  readonly hint: string | undefined;
  /** The id of a defect in the service's log, or the request id of a proxy. */
  readonly requestId: string | undefined;
  /** Seconds after which to try again. */
  readonly retryAfterSeconds: number | undefined;
  /** The response body. */
  readonly body: string;

  constructor(status: number, body: string, headers: Headers) {
    const { error, code, field, hint, requestId } = readRefusal(body);
    super(error ?? (body.slice(0, SHOWN_MAX) || `the service answered ${status}`));
    this.status = status;
    this.code = code;
    this.field = field;
    this.hint = hint;
    this.requestId = headers.get("X-Request-Id") ?? requestId;
    this.body = body;
    const retryAfter = headers.get("Retry-After");
    this.retryAfterSeconds =
      retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }
}

/** The token is missing, unknown, or has no permission. */
export class UnauthorizedError extends ApiError {
  override readonly name = "UnauthorizedError";
}

/** The service has nothing with that name. */
export class NotFoundError extends ApiError {
  override readonly name = "NotFoundError";
}

/** A limit of the account is exceeded. */
export class QuotaExceededError extends ApiError {
  override readonly name = "QuotaExceededError";
}

/** Too many requests. */
export class RateLimitedError extends ApiError {
  override readonly name = "RateLimitedError";
}

/** The service is busy or not reachable; nothing was stored. */
export class UnavailableError extends ApiError {
  override readonly name = "UnavailableError";
}

/** The message or run did not end in time; it still may. */
export class TimeoutError extends PostriderError {
  override readonly name = "TimeoutError";
}

/** A request is not signed by the service, or not for this body or URL. */
export class SignatureError extends PostriderError {
  override readonly name: string = "SignatureError";
}

/** A request is signed by the service, but as another delivery than the one it is used for. */
export class ForeignSignatureError extends SignatureError {
  override readonly name = "ForeignSignatureError";
}

export async function apiErrorOf(response: Response): Promise<ApiError> {
  const body = await response.text();
  const Kind = KINDS.get(response.status) ?? ApiError;
  return new Kind(response.status, body, response.headers);
}

type Refusal = Partial<Record<"error" | "code" | "field" | "hint" | "requestId", string>>;

/** The text fields of a refusal. */
function readRefusal(body: string): Refusal {
  try {
    const said = Object.entries(JSON.parse(body) as object);
    return Object.fromEntries(said.filter(([, value]) => typeof value === "string"));
  } catch {
    return {};
  }
}

const KINDS: ReadonlyMap<number, typeof ApiError> = new Map<number, typeof ApiError>([
  [401, UnauthorizedError],
  [403, UnauthorizedError],
  [404, NotFoundError],
  [412, QuotaExceededError],
  [429, RateLimitedError],
  [503, UnavailableError],
]);
const SHOWN_MAX = 500;
