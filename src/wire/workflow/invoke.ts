import type { HeaderList } from "../../core/model/message/message.ts";
import type { Step } from "../../core/model/workflow/run.ts";
import { headerObject, readHeaderObject } from "../headers/header-object.ts";
import { parseUrl, prefixErrors } from "../headers/header-value.ts";
import { bodyReader } from "../json/schema-reader.ts";
import { inlineObject, integer, orNull, text, withKeywords } from "../json/schema.ts";
import { OPENED_STEP, openedStep } from "./step.ts";
import { parseRunId } from "./workflow-headers.ts";

/** Older clients do not know when their run was created, and send 0 or nothing. */
const readRequest = bodyReader(
  inlineObject(
    {
      workflowRunId: text(),
      workflowUrl: text(),
      headers: headerObject("Those of the result."),
      step: OPENED_STEP,
    },
    {
      body: orNull(text()),
      workflowRunCreatedAt: orNull(withKeywords(integer(), { minimum: 0 })),
    },
  ),
  Infinity,
);

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
  const { workflowRunId, workflowUrl, ...given } = readRequest(body);
  return {
    payload: new TextEncoder().encode(given.body ?? ""),
    invoker: {
      runId: prefixErrors("workflowRunId", () => parseRunId(workflowRunId)),
      createdAt: given.workflowRunCreatedAt || undefined,
      workflowUrl: prefixErrors("workflowUrl", () => parseUrl(workflowUrl)),
    },
    headers: readHeaderObject(given.headers),
    step: openedStep(given.step),
  };
}
