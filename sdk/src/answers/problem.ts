/** `npm run reference` writes this file from the schemas of the server. */

export interface Problem {
  /** What is wrong, in a sentence. */
  readonly error: string;
  /** The kind of the problem. */
  readonly code?: "invalid-request" | "unauthorized" | "forbidden" | "not-local" | "not-found" | "method-not-allowed" | "not-alone" | "request-timeout" | "quota-exceeded" | "body-too-large" | "invalid-step" | "run-ended" | "daily-limit" | "burst-limit" | "too-many-requests" | "headers-too-large" | "overloaded" | "disk-low" | "internal";
  /** The header, the parameter, or the part of the path or body that is wrong. */
  readonly field?: string;
  /** What may help. */
  readonly hint?: string;
  /** The id of a defect in the log. */
  readonly requestId?: string;
}
