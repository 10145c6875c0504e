import { invalidRequest, parseBoolean, prefixErrors } from "../headers/header-value.ts";
import { single } from "../filters/filter-parameters.ts";
import { flag } from "../json/schema.ts";
import { isEventId } from "./step.ts";
import { parseRunId } from "./workflow-headers.ts";

/** The id of a run, from the path after `/v2/workflows/runs/`. */
export function readRunPath(rest: string): string {
  const [path = ""] = rest.split("?", 1);
  return prefixErrors("workflowRunId", () => parseRunId(decodePath(path)));
}

/** How a run is ended: false for as successful. */
export const RUN_END_ROWS = [
  single(
    "cancel",
    "With `false`, the run ends as successful with the body as its result.",
    flag(),
    parseBoolean,
  ),
];

export function readEventId(path: string): string {
  const eventId = prefixErrors("eventId", () => decodePath(path));
  if (isEventId(eventId)) return eventId;
  throw invalidRequest(
    "eventId: must be 1 to 512 characters, none of them a control one, and other than . and ..",
  );
}

/** A part of a path, in which a plus is a plus. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text.endsWith("/") ? text.slice(0, -1) : text);
  } catch {
    throw invalidRequest("is not percent-encoded UTF-8");
  }
}
