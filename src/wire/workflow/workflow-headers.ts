import type { HeaderList } from "../../core/model/message/message.ts";
import { headerSuffix } from "../headers/header-kind.ts";
import { asStepError } from "./step.ts";
import {
  invalidRequest,
  NO_DOT_SEGMENT,
  parseInteger,
  prefixErrors,
  trimBlanks,
} from "../headers/header-value.ts";

/** The headers of a publish that describe its run. */
export interface WorkflowHeaders {
  readonly runId: string;
  /** Tells runs of the same id apart. */
  readonly createdAt?: number | undefined;
  /** It starts the run. */
  readonly isInit: boolean;
  /** It starts the run for a step of another one. */
  readonly isInvoke: boolean;
  /** An endpoint that was asked for its settings answers with them. */
  readonly isBySdk: boolean;
  /** A call to a third party, not a step. */
  readonly isCall: boolean;
  readonly isUnknownSdk: boolean;
  readonly features: ReadonlySet<string>;
}

/** Null when the publish belongs to no run. */
export function readWorkflowHeaders(rawHeaders: readonly string[]): WorkflowHeaders | null {
  const given = gather(rawHeaders);
  const runId = given.get("workflow-runid");
  if (runId === undefined) return null;
  const read = (): WorkflowHeaders => toHeaders(given, runId);
  return isTrue(given, "workflow-init") ? read() : asStepError(read);
}

/** The settings that a trigger may give its run, which may have no id yet. */
export function readTriggerHeaders(rawHeaders: readonly string[]): {
  readonly runId: string | undefined;
  readonly isUnknownSdk: boolean;
} {
  const given = gather(rawHeaders);
  const runId = given.get("workflow-runid");
  const { isUnknownSdk } = toHeaders(given, runId ?? "unnamed");
  return { runId, isUnknownSdk };
}

/** The values by name; contradictory ones are marked. */
function gather(rawHeaders: readonly string[]): Map<string, string> {
  const given = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const suffix = headerSuffix(name);
    if (suffix === null || !NAMES.has(suffix)) continue;
    const value = trimBlanks(rawHeaders[index + 1]!);
    const before = given.get(suffix);
    // A list may come in several lines; any other header may only be repeated with the same value.
    if (before !== undefined && suffix === "feature-set") given.set(suffix, `${before},${value}`);
    else if (before !== undefined && before !== value) given.set(TWICE, name);
    else given.set(suffix, value);
  }
  return given;
}

/** For a request that names its run in the path. */
export function readRunCreatedAt(rawHeaders: readonly string[]): number | undefined {
  return readCreatedAt(gather(rawHeaders).get("workflow-createdat"));
}

/** A run id: it must be usable in paths and headers unchanged. */
export function parseRunId(text: string): string {
  if (!RUN_ID.test(text)) {
    throw invalidRequest(
      "must be 1 to 256 visible ASCII characters, without / ? # % \\ and quotes, and other than . and ..",
    );
  }
  return text;
}

/** The first value of a header, whatever its prefix. */
export function headerOf(headers: HeaderList, suffix: string): string | undefined {
  return headers.find(([name]) => headerSuffix(name) === suffix)?.[1];
}

function toHeaders(given: ReadonlyMap<string, string>, runId: string): WorkflowHeaders {
  const twice = given.get(TWICE);
  if (twice !== undefined) throw invalidRequest(`${twice}: is given twice`);
  const features = (given.get("feature-set") ?? "").split(",").map(trimBlanks);
  return {
    runId: prefixErrors("Workflow-RunId", () => parseRunId(runId)),
    createdAt: readCreatedAt(given.get("workflow-createdat")),
    isInit: isTrue(given, "workflow-init"),
    isInvoke: isTrue(given, "workflow-invoke"),
    isBySdk: isTrue(given, "workflow-trigger-by-sdk"),
    isCall: given.get("workflow-calltype") === "toCallback",
    isUnknownSdk: isTrue(given, "workflow-unknown-sdk"),
    features: new Set(features),
  };
}

function isTrue(given: ReadonlyMap<string, string>, name: string): boolean {
  return given.get(name)?.toLowerCase() === "true";
}

function readCreatedAt(text: string | undefined): number | undefined {
  if (text === undefined || text === "" || text === "0") return undefined;
  return prefixErrors("Workflow-CreatedAt", () => parseInteger(text));
}

/** The key of a header that was given twice with different values. */
const TWICE = "twice";

/** The headers that describe a run, each with the sentence that documents it. */
export const WORKFLOW_HEADERS = [
  { name: "Workflow-RunId", says: "The id of the run. A trigger without it gets a generated id." },
  { name: "Workflow-CreatedAt", says: "Unix milliseconds. Tells runs with the same id apart." },
  { name: "Workflow-Init", says: "With `true`, this publish starts the run." },
  {
    name: "Workflow-Invoke",
    says: "With `true`, a step of another run starts the run and waits for it.",
  },
  {
    name: "Workflow-CallType",
    says: "With `toCallback`, this publish is a call to a third party.",
  },
  {
    name: "Workflow-Trigger-By-Sdk",
    says: "With `true`, an endpoint answers the question of `Workflow-Unknown-Sdk`: its settings replace those of the trigger.",
  },
  {
    name: "Workflow-Unknown-Sdk",
    says: "With `true`, the first delivery asks the endpoint for its settings.",
  },
  { name: "Feature-Set", says: "What the SDK of the client supports, separated by commas." },
] as const;

const NAMES: ReadonlySet<string> = new Set(WORKFLOW_HEADERS.map(({ name }) => name.toLowerCase()));
const RUN_ID = new RegExp(`${NO_DOT_SEGMENT}[!$&-.0-;=@A-Z^_a-z|~]{1,256}$`);
