import { naming, refusal, shownName } from "../headers/header-value.ts";
import { isJsonObject, readJson } from "../json/json.ts";
import type { Json } from "../message/message.ts";

/** The requested settings of a queue. */
export interface QueueRequest {
  readonly name: string;
  readonly parallelism: number;
  readonly paused: boolean;
}

/** A queue as shown. */
export interface ShownQueue extends QueueRequest {
  /** Messages that have not ended. */
  readonly lag: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export const QUEUE_BODY_BYTES_MAX = 16 * 1024;

const FIELDS = ["queueName", "parallelism", "paused"];
const NAME = /^[A-Za-z0-9._-]{1,128}$/;
const PARALLELISM_MAX = 1_000_000;

/** Reads `{"queueName", "parallelism", "paused"}`; the defaults are 1 and false. */
export function readQueueRequest(body: Uint8Array): QueueRequest {
  const json = readJson(body, QUEUE_BODY_BYTES_MAX);
  if (!isJsonObject(json)) throw refusal("body: must be an object with queueName");
  for (const field of Object.keys(json)) {
    if (!FIELDS.includes(field)) throw refusal(`${shownName(field)}: is not a field of a queue`);
  }
  const { queueName, parallelism = 1, paused = false } = json;
  return {
    name: naming("queueName", () => parseQueueName(queueName)),
    parallelism: naming("parallelism", () => readParallelism(parallelism)),
    paused: naming("paused", () => readPaused(paused)),
  };
}

/** The name of a queue, from a path, a header or a body. */
export function parseQueueName(name: unknown): string {
  if (typeof name !== "string") throw refusal("must be a text");
  if (!NAME.test(name)) throw refusal("must be 1 to 128 letters, digits, . _ or -");
  return name;
}

export function queueJson({ name, parallelism, paused, lag, ...times }: ShownQueue): Json {
  const { createdAt, updatedAt } = times;
  return { createdAt, updatedAt, name, parallelism, lag, paused };
}

function readParallelism(value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value)) {
    throw refusal("must be a whole number");
  }
  if (value < 1) throw refusal("must be at least 1");
  if (value > PARALLELISM_MAX) throw refusal(`must be at most ${PARALLELISM_MAX}`);
  return value;
}

function readPaused(value: unknown): boolean {
  if (typeof value !== "boolean") throw refusal("must be true or false");
  return value;
}
