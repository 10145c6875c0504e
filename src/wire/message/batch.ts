import { Problem } from "../../core/problem.ts";
import { type DestinationReading, readDestination } from "./destination.ts";
import { readHeaderObject } from "../headers/header-object.ts";
import { rawHeadersOf } from "../headers/header-text.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { isJsonObject, jsonElements } from "../json/json.ts";
import { readerOf } from "../json/schema-reader.ts";
import type { TypeOf } from "../json/schema.ts";
import { readQueueName } from "../line/queue.ts";
import { BATCH_ITEM, BATCH_ITEMS_MAX } from "./message-schemas.ts";
import { readWorkflowHeaders, type WorkflowHeaders } from "../workflow/workflow-headers.ts";

/** Of an item without its body: several times what its headers and its destination may have. */
const ITEM_BYTES_MAX = 128 * 1024;
const RUN_ID_NAME = /^(?:svc|upstash)-workflow-runid$/i;
const readItem = readerOf(BATCH_ITEM, "message");

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
    if (index === BATCH_ITEMS_MAX)
      throw invalidRequest(`body: has more than ${BATCH_ITEMS_MAX} messages`);
    if (!isJsonObject(item)) throw invalidRequest(`body[${index}]: must be an object`);
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

interface OpenedItem extends Omit<TypeOf<typeof BATCH_ITEM>, "headers"> {
  readonly rawHeaders: readonly string[];
}

function openItem(given: unknown): OpenedItem {
  const { destination, headers, body, queue } = readItem(given, "message");
  const rawHeaders = rawHeadersOf(readHeaderObject(headers ?? {}));
  return { destination, rawHeaders, body, queue };
}

/** Clients write null or an empty text for no queue. */
function completed(
  { destination, rawHeaders, body, queue }: OpenedItem,
  bodyBytesMax: number,
): BatchItem {
  return {
    ...readDestination(destination),
    rawHeaders,
    body: bytesOf(body ?? "", bodyBytesMax),
    queueName: queue ? readQueueName(queue, "queue") : undefined,
  };
}

/** Whether an item, however malformed, is for a run of a workflow. */
export function namesRun(item: unknown): boolean {
  if (!isJsonObject(item) || !isJsonObject(item["headers"])) return false;
  return Object.keys(item["headers"]).some((name) => RUN_ID_NAME.test(name));
}

function bytesOf(text: string, bytesMax: number): Uint8Array {
  const body = Buffer.from(text);
  if (body.byteLength <= bytesMax) return body;
  throw new Problem("body-too-large", `body: is larger than ${bytesMax} bytes`);
}
