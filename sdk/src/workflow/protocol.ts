import type { HeaderView } from "./incoming.ts";

/** The headers of a delivery, and the encoding of values that a header cannot hold. */
export const HEADERS = {
  runId: "Svc-Workflow-RunId",
  reply: "Svc-Workflow-Reply",
  createdAt: "Svc-Workflow-CreatedAt",
  sdkVersion: "Svc-Workflow-Sdk-Version",
  messageId: "Svc-Message-Id",
  retried: "Svc-Retried",
  label: "Svc-Label",
  signature: "Svc-Signature",
  invokeCount: "Svc-Workflow-Invoke-Count",
  isCallback: "Svc-Workflow-Callback",
  isFailure: "Svc-Workflow-Is-Failure",
  stepId: "Svc-Workflow-StepId",
  stepName: "Svc-Workflow-StepName",
  stepType: "Svc-Workflow-StepType",
  concurrent: "Svc-Workflow-Concurrent",
} as const;

/** Printable ASCII stays readable; anything else is percent-encoded. */
export function encodeName(name: string): string {
  return /^[\x21-\x24\x26-\x7e](?:[\x20-\x24\x26-\x7e]*[\x21-\x24\x26-\x7e])?$/.test(name)
    ? name
    : encodeURIComponent(name);
}

export function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Headers of the caller or the trigger, without those of the protocol, in either dialect. */
export function ownHeaders(headers: HeaderView): Headers {
  const own = new Headers();
  for (const [name, value] of headers) if (!OF_THE_PROTOCOL.test(name)) own.append(name, value);
  return own;
}

/** A delivery may have its headers with both prefixes. */
const OF_THE_PROTOCOL = /^(?:svc|upstash)-/;
