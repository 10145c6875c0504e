import type { HeaderList } from "../../core/model/message/message.ts";
import type { Step } from "../../core/model/workflow/step.ts";
import { readHeaderObject } from "../headers/header-object.ts";
import { naming, parseUrl, refusal } from "../headers/header-value.ts";
import { isJsonObject, readJson } from "../json/json.ts";
import { readStep } from "./step.ts";
import { parseRunId } from "./workflow-headers.ts";

/** The body of an invocation: a run starts another one and waits for it. */
export interface Invocation {
  readonly payload: Uint8Array;
  readonly invoker: {
    readonly runId: string;
    readonly createdAt: number | undefined;
    readonly workflowUrl: string;
  };
  /** The headers of the message that delivers the result. */
  readonly headers: HeaderList;
  readonly step: Step;
}

export function readInvocation(body: Uint8Array): Invocation {
  const value = readJson(body, body.byteLength);
  if (!isJsonObject(value)) throw refusal("body: must be an object");
  const { workflowRunId, workflowRunCreatedAt, workflowUrl, headers } = value;
  const payload = value["body"] ?? "";
  if (typeof payload !== "string") throw refusal("body.body: must be a string");
  if (typeof workflowRunId !== "string") throw refusal("workflowRunId: must be a string");
  if (typeof workflowUrl !== "string") throw refusal("workflowUrl: must be a URL");
  if (!isJsonObject(headers)) throw refusal("headers: must be an object");
  return {
    payload: new TextEncoder().encode(payload),
    invoker: {
      runId: naming("workflowRunId", () => parseRunId(workflowRunId)),
      createdAt: readCreatedAt(workflowRunCreatedAt),
      workflowUrl: naming("workflowUrl", () => parseUrl(workflowUrl)),
    },
    headers: readHeaderObject(headers),
    step: readStep(value["step"]),
  };
}

/** Older clients do not know it, and send 0 or nothing. */
function readCreatedAt(value: unknown): number | undefined {
  if (value === undefined || value === null || value === 0) return undefined;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw refusal("workflowRunCreatedAt: must be a time in unix milliseconds");
  }
  return value;
}
