import { naming, refusal, shownName } from "../headers/header-value.ts";
import { isJsonObject, readJson } from "../json/json.ts";
import {
  flag,
  inlineObject,
  instant,
  integer,
  list,
  object,
  text,
  type TypeOf,
} from "../json/schema.ts";

/** The requested settings of a queue. */
export interface QueueRequest {
  readonly name: string;
  readonly parallelism: number;
  readonly paused: boolean;
}

export const QUEUE = object("Queue", {
  createdAt: instant("When it was created."),
  updatedAt: instant("When it was last changed."),
  name: text("Its name.", "invoices"),
  parallelism: integer("How many of its messages are delivered at once.", 2),
  lag: integer("Messages in it that have not ended.", 40),
  paused: flag("It delivers nothing.", false),
});

export const QUEUES = list(QUEUE);

export const QUEUE_REQUEST = inlineObject(
  { queueName: text("1 to 128 letters, digits, `.`, `_` or `-`.", "invoices") },
  {
    parallelism: {
      ...integer("How many messages are delivered at once.", 2),
      minimum: 1,
      default: 1,
    },
    paused: { ...flag("It accepts messages and delivers none."), default: false },
  },
);

export type ShownQueue = TypeOf<typeof QUEUE>;

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
