import { prefixErrors, parseBoolean, invalidRequest } from "../headers/header-value.ts";
import { single } from "../filters/filter-parameters.ts";
import { flag } from "../json/schema.ts";
import { decodeQueryText, readQuery } from "../filters/query.ts";
import { isEventId } from "./step.ts";
import { parseRunId } from "./workflow-headers.ts";

export interface RunPath {
  readonly runId: string;
  /** Undefined when absent. */
  readonly cancel: boolean | undefined;
}

/** The path after `/v2/workflows/runs/`: the id of a run, and how to end it. */
export function readRunPath(rest: string): RunPath {
  const questionAt = rest.indexOf("?");
  const path = questionAt < 0 ? rest : rest.slice(0, questionAt);
  const query = questionAt < 0 ? "" : rest.slice(questionAt + 1);
  const cancel = readQuery(query).find(({ name }) => name === "cancel");
  return {
    runId: prefixErrors("workflowRunId", () => parseRunId(decodePath(path))),
    cancel:
      cancel === undefined
        ? undefined
        : prefixErrors("cancel", () => parseBoolean(decodeQueryText(cancel.rawValue, "cancel"))),
  };
}

export const RUN_END_ROWS = [
  single("cancel", "With `false`, the run ends as successful with the body as its result.", flag()),
];

/** The name of an event, from a path. */
export function readEventId(path: string): string {
  const eventId = decodePath(path);
  if (isEventId(eventId)) return eventId;
  throw invalidRequest("eventId: must be 1 to 512 characters, none of them a control one");
}

/** A part of a path, in which a plus is a plus. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text.endsWith("/") ? text.slice(0, -1) : text);
  } catch {
    throw invalidRequest("is not percent-encoded UTF-8");
  }
}
