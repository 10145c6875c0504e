/**
 * An expected refusal, not a defect. It has no stack trace, since one request may create thousands,
 * and a trace costs far more than the refusal itself.
 */
export class TracelessError extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Every way in which a request can be refused: its status, its text for the caller, and a hint
 * where one helps whatever the request was.
 */
export const PROBLEMS = {
  "invalid-request": {
    status: 400,
    of: "any",
    says: "The request is malformed; the sentence names the field.",
  },
  unauthorized: {
    status: 401,
    of: "credentials",
    says: "The token is missing or unknown.",
    hint: "check the credentials: they may be of another service, or have been rotated",
  },
  forbidden: {
    status: 403,
    of: "write",
    says: "The token or the session may not do this; the sentence says what is needed.",
  },
  "not-local": {
    status: 403,
    of: "any",
    says: "In dev: the request names another host, or a page of another site made it.",
  },
  "not-found": { status: 404, of: "name", says: "The account has nothing with that name." },
  "method-not-allowed": {
    status: 405,
    of: "path",
    says: "The path exists but not with this method; see Allow.",
  },
  "not-alone": {
    status: 409,
    of: "clock",
    says: "In dev: the clock does not move while several nodes use the database.",
    hint: "stop the other nodes",
  },
  "request-timeout": { status: 408, of: "body", says: "The request did not arrive in time." },
  "quota-exceeded": {
    status: 412,
    of: "write",
    says: "A limit of the account's plan is exceeded.",
    hint: "ask for less, or have the limits of the account raised in the console",
  },
  "body-too-large": {
    status: 413,
    of: "body",
    says: "The body is larger than the account's max_message_size.",
    hint: "store the data elsewhere and send where it is",
  },
  "invalid-step": {
    status: 422,
    of: "publish",
    says: "A workflow endpoint submitted a malformed step; the sentence names the field.",
  },
  "run-ended": {
    status: 400,
    of: "publish",
    says: "The workflow run has ended. Nothing can be added to it.",
  },
  "daily-limit": {
    status: 429,
    of: "publish",
    says: "The account's max_requests_per_day_hard is reached; see RateLimit-Reset.",
    hint: "wait for the next day, or have the limits of the account raised in the console",
  },
  "burst-limit": {
    status: 429,
    of: "credentials",
    says: "Too many requests in one second, too many webhook calls, or too many lists at once; see Burst-RateLimit-Reset.",
    hint: "try again after Retry-After seconds",
  },
  "too-many-requests": {
    status: 429,
    of: "any",
    says: "Too many requests; see Retry-After.",
    hint: "try again after Retry-After seconds",
  },
  "headers-too-large": {
    status: 431,
    of: "any",
    says: "Too many headers, or too many bytes of them.",
  },
  overloaded: {
    status: 503,
    of: "any",
    says: "The server is busy, or its store does not answer or lacks the synchronous standby that it must have; see Retry-After.",
    hint: "try again after Retry-After seconds",
  },
  "disk-low": {
    status: 507,
    of: "publish",
    says: "The disk of the store is full, or with SQLite less of it is free than --min-free-disk.",
    hint: "make room on the disk of the store; with SQLite, --min-free-disk can be lowered",
  },
} as const satisfies Readonly<Record<string, ProblemRow>>;

/**
 * The requests that can be refused so: any; those with credentials; those that write, name a thing
 * (in the path, or to change it), have a body, publish or move the clock of dev; or those whose
 * path has no such method.
 */
export type ProblemScope =
  | "any"
  | "credentials"
  | "write"
  | "name"
  | "body"
  | "publish"
  | "clock"
  | "path";

interface ProblemRow {
  readonly status: number;
  readonly of: ProblemScope;
  readonly says: string;
  readonly hint?: string;
}

export type ProblemKind = keyof typeof PROBLEMS;

/** How many requests are allowed in a period, how many are left, and when the period ends. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  /** In unix seconds. */
  readonly resetAtSeconds: number;
}

/** The only error a caller may see. Any other error is a defect, and answers 500. */
export class Problem extends TracelessError {
  readonly kind: ProblemKind;
  /** Seconds after which to try again; only for temporary refusals. */
  readonly retryAfterSeconds: number | undefined;
  /** For a refusal by a rate limit: the limit, and when its period ends. */
  readonly rate: Rate | undefined;
  #field: string | undefined;

  /** A refusal of one field whose sentence does not begin with its name, since clients compare it. */
  static about(field: string, kind: ProblemKind, message: string): Problem {
    const problem = new Problem(kind, message);
    problem.#field = field;
    return problem;
  }

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

  get hint(): string | undefined {
    const row: ProblemRow = PROBLEMS[this.kind];
    return row.hint;
  }

  /** A sentence about one field mostly begins with the field's name and a colon. */
  get field(): string | undefined {
    return this.#field ?? FIELD.exec(this.message)?.[1];
  }
}

const FIELD = /^(\S+): /;
