import { Problem } from "../../core/problem.ts";
import { type DestinationReading, readDestination } from "./destination.ts";
import { readHeaderObject } from "../headers/header-object.ts";
import { rawHeadersOf } from "../headers/url-text.ts";
import { naming, refusal } from "../headers/header-value.ts";
import { jsonElements } from "../json/json-array.ts";
import { isJsonObject, requireMembers } from "../json/json.ts";
import { parseQueueName } from "../line/queue.ts";
import { readWorkflowHeaders, type WorkflowHeaders } from "../workflow/workflow-headers.ts";

const ITEMS_MAX = 1_000;
/** Of an item without its body: several times what its headers and its destination may have. */
const ITEM_BYTES_MAX = 128 * 1024;
const RUN_ID_NAME = /^(?:svc|upstash)-workflow-runid$/i;
const MEMBERS = ["destination", "headers", "body", "queue"];

/** One item of a batch: the path, the headers and the body of a single request. */
export interface BatchItem extends Pick<DestinationReading, "destination" | "aliases"> {
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
  readonly queueName: string | undefined;
}

/** An item that publishes. */
export interface BatchPublish extends BatchItem {
  /** Null when it belongs to no run. */
  readonly workflow: WorkflowHeaders | null;
}

/**
 * The items of a batch, one after the other and unchecked: a malformed item does not affect the
 * others. A malformed document refuses the whole batch, wherever it is malformed.
 */
export function* readBatch(body: Uint8Array): Generator {
  let index = 0;
  for (const item of jsonElements(body, ITEM_BYTES_MAX)) {
    if (index === ITEMS_MAX) throw refusal(`body: has more than ${ITEMS_MAX} messages`);
    if (!isJsonObject(item)) throw refusal(`body[${index}]: must be an object`);
    yield item;
    index += 1;
  }
}

export function readBatchItem(item: unknown, bodyBytesMax: number): BatchItem {
  return completed(openItem(item), bodyBytesMax);
}

/** The largest body depends on the run. */
export function readBatchPublish(
  item: unknown,
  bodyBytesMax: (workflow: WorkflowHeaders | null) => number,
): BatchPublish {
  const opened = openItem(item);
  const workflow = readWorkflowHeaders(opened.rawHeaders);
  return { ...completed(opened, bodyBytesMax(workflow)), workflow };
}

/** An item whose headers are read. */
interface OpenedItem {
  readonly destination: string;
  readonly rawHeaders: readonly string[];
  readonly body: unknown;
  readonly queue: unknown;
}

function openItem(item: unknown): OpenedItem {
  if (!isJsonObject(item)) throw refusal("must be an object");
  requireMembers(item, MEMBERS, "message");
  const { destination, headers, body, queue } = item;
  if (typeof destination !== "string") throw refusal("destination: must be a string");
  return { destination, rawHeaders: readHeaderMember(headers), body, queue };
}

function completed(
  { destination, rawHeaders, body, queue }: OpenedItem,
  bodyBytesMax: number,
): BatchItem {
  return {
    ...readDestination(destination),
    rawHeaders,
    body: readBody(body, bodyBytesMax),
    queueName: readQueue(queue),
  };
}

/** Whether an item, however malformed, is for a run of a workflow. */
export function namesRun(item: unknown): boolean {
  if (!isJsonObject(item) || !isJsonObject(item["headers"])) return false;
  return Object.keys(item["headers"]).some((name) => RUN_ID_NAME.test(name));
}

function readHeaderMember(value: unknown): readonly string[] {
  if (isAbsent(value)) return [];
  if (!isJsonObject(value)) throw refusal("headers: must be an object");
  return rawHeadersOf(readHeaderObject(value));
}

function readBody(value: unknown, bytesMax: number): Uint8Array {
  if (isAbsent(value)) return new Uint8Array(0);
  if (typeof value !== "string") throw refusal("body: must be a string");
  const body = Buffer.from(value);
  if (body.byteLength <= bytesMax) return body;
  throw new Problem("body-too-large", `body: is larger than ${bytesMax} bytes`);
}

function readQueue(value: unknown): string | undefined {
  if (isAbsent(value) || value === "") return undefined;
  return naming("queue", () => parseQueueName(value));
}

/** Clients write null for absent values. */
function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
