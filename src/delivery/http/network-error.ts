/** Network errors in words for the log. */

import type { NoAnswer } from "../../core/model/message/attempt.ts";
import { TracelessError } from "../../core/problem.ts";

/** An attempt took longer than its message allows, for any reason. */
export function tooLate(timeoutMs: number): string {
  return `no complete answer within ${seconds(timeoutMs)}, the timeout of the message`;
}

export function seconds(durationMs: number): string {
  return `${durationMs / 1_000} s`;
}

/**
 * One text for every address that is never dialed, so that no caller can map our network with it.
 */
export const NOT_ALLOWED = "destination not allowed (see --egress-allow)";

export const NOT_HTTP = "the answer is not valid HTTP";
export const TOO_LARGE = "the answer's headers are too large";
export const CLOSED_EARLY = "connection closed before an answer";

/** An error with a text of our own. */
export class DeliveryError extends TracelessError {
  readonly final: boolean;

  constructor(message: string, final = false) {
    super(message);
    this.name = "DeliveryError";
    this.final = final;
  }
}

export function noAnswer(error: string, final = false): NoAnswer {
  return { kind: "no-answer", error, final };
}

export function noAnswerFrom(error: unknown): NoAnswer {
  if (error instanceof DeliveryError) return noAnswer(error.message, error.final);
  const code = codeOf(error);
  return noAnswer(TEXTS[code] ?? textByFamily(code));
}

function codeOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

function textByFamily(code: string): string {
  if (code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) return "TLS handshake failed";
  if (code.includes("CERT")) return `TLS certificate not accepted (${code})`;
  return code === "" ? "request failed" : `request failed (${code})`;
}

const TEXTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ECONNABORTED: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ENOTFOUND: "no such host",
  ENODATA: "no such host",
  EAI_AGAIN: "name lookup failed",
  EAI_FAIL: "name lookup failed",
  EPROTO: "TLS handshake failed",
  CERT_HAS_EXPIRED: "TLS certificate has expired",
  CERT_NOT_YET_VALID: "TLS certificate is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS certificate chain is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS certificate is not signed by a known authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS certificate is not signed by a known authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS certificate is for another name",
};
