import { textFromBase64 } from "../base64.ts";
import { NotFoundError } from "../errors.ts";
import { segment, type Transport } from "../transport.ts";
import { WorkflowError } from "./errors.ts";
import type { RunEntry } from "./history.ts";
import type { HeaderView } from "./incoming.ts";
import { HEADERS } from "./protocol.ts";
import { readLoosely } from "./json.ts";
import type { RunFacts } from "./submission.ts";

/** The kind of a request to the endpoint. */
export type DeliveryKind =
  /** A plain request without workflow headers, which starts a run. */
  | "start"
  | "step"
  /** The result of a call. */
  | "callback"
  | "failure";

export function kindOf(headers: HeaderView): DeliveryKind {
  if (headers.get(HEADERS.isFailure) === "true") return "failure";
  if (headers.get(HEADERS.isCallback) === "true") return "callback";
  const isDelivery = headers.has(HEADERS.sdkVersion) && headers.has(HEADERS.runId);
  return isDelivery ? "step" : "start";
}

export function runFactsOf(headers: HeaderView, url: string): RunFacts {
  const runId = headers.get(HEADERS.runId);
  if (runId === null) throw new WorkflowError(`the header ${HEADERS.runId} is missing`);
  return {
    runId,
    url,
    createdAt: Number(headers.get(HEADERS.createdAt) ?? 0),
    invokeCount: Number(headers.get(HEADERS.invokeCount) ?? 0),
  };
}

/**
 * The entries of a run up to the delivered one. A run that is too large to be sent comes without a
 * body, and is fetched. Undefined when it has ended by then.
 */
export async function entriesOf(
  body: string,
  headers: HeaderView,
  transport: Transport,
): Promise<readonly RunEntry[] | undefined> {
  if (body !== "") return readEntries(readLoosely(body));
  const entries = await fetchEntries(headers.get(HEADERS.runId) ?? "", transport);
  const messageId = headers.get(HEADERS.messageId);
  if (entries === undefined || entries.length === 1) return entries;
  const index = entries.findIndex((entry) => entry.messageId === messageId);
  if (index === -1) throw new WorkflowError(`the run does not hold the delivered ${messageId}`);
  return entries.slice(0, index + 1);
}

/** All entries of a run; undefined if it has ended. */
export async function fetchEntries(
  runId: string,
  transport: Transport,
): Promise<readonly RunEntry[] | undefined> {
  try {
    const path = `/v2/workflows/runs/${segment(runId)}`;
    return readEntries(await transport.json<unknown>({ method: "GET", path }));
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** The payload text of a run. */
export function payloadTextOf(entries: readonly RunEntry[]): string {
  return textFromBase64(entries[0]?.body ?? "");
}

function readEntries(value: unknown): readonly RunEntry[] {
  const isList = Array.isArray(value) && value.length > 0;
  if (isList && value.every((entry: unknown) => typeof entry === "object" && entry !== null)) {
    return value as RunEntry[];
  }
  throw new WorkflowError("the delivery is not a list of entries of a run");
}
