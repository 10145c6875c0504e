/** Every way in which a request can be refused: its status, and what it says to the caller. */
export const PROBLEMS = {
  "invalid-request": {
    status: 400,
    says: "The request is malformed; the sentence names the field.",
  },
  unauthorized: { status: 401, says: "The token is missing or not known." },
  forbidden: {
    status: 403,
    says: "The token may read but not write, or the request is not allowed.",
  },
  "not-found": { status: 404, says: "There is nothing of that name in this account." },
  "method-not-allowed": {
    status: 405,
    says: "The path exists but not with this method; see Allow.",
  },
  "request-timeout": { status: 408, says: "The request did not arrive in time." },
  "quota-exceeded": { status: 412, says: "A limit of the account's plan is exceeded." },
  "body-too-large": {
    status: 413,
    says: "The body is larger than the account's max_message_size.",
  },
  "invalid-step": {
    status: 422,
    says: "What a workflow's endpoint has submitted is malformed; the sentence names the field.",
  },
  "run-ended": { status: 400, says: "The workflow run has ended, so that nothing can be added." },
  "daily-limit": {
    status: 429,
    says: "The account's max_requests_per_day_hard is reached; see RateLimit-Reset.",
  },
  "burst-limit": {
    status: 429,
    says: "More calls in a second than max_requests_per_second; see Burst-RateLimit-Reset.",
  },
  "too-many-requests": { status: 429, says: "Too many requests; see Retry-After." },
  "headers-too-large": { status: 431, says: "Too many headers, or too many bytes of them." },
  overloaded: { status: 503, says: "The service or its store is busy or away; see Retry-After." },
  "disk-low": { status: 507, says: "Less disk is free than the service keeps in reserve." },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

/** How much is allowed in a while, how much of it is left, and when the while ends. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** In unix seconds. */
  readonly resetAtSeconds: number;
}

/** The only error a caller may see. Anything else that is thrown is a defect, and answers 500. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  /** Seconds after which it is worth asking again; only for refusals that pass. */
  readonly retryAfterSeconds: number | undefined;
  /** Of a refusal by a rate: what is allowed, and when it begins anew. */
  readonly rate: Rate | undefined;

  constructor(kind: ProblemKind, message: string, retryAfterSeconds?: number, rate?: Rate) {
    super(message);
    this.name = "Problem";
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
    this.rate = rate;
  }

  get status(): number {
    return PROBLEMS[this.kind].status;
  }
}
