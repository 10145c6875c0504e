import { ID_PATTERN, ID_RULE } from "../headers/header-value.ts";
import { bodyReader, readerOf } from "../json/schema-reader.ts";
import {
  closedObject,
  flag,
  instant,
  integer,
  list,
  object,
  refusedAs,
  text,
  type TypeOf,
  withDefault,
  withKeywords,
} from "../json/schema.ts";

export const QUEUE = object("Queue", {
  createdAt: instant("When it was created."),
  updatedAt: instant("When it was last changed."),
  name: text("Its name.", "invoices"),
  parallelism: integer("How many of its messages are delivered at once.", 2),
  lag: integer("Messages in it that have not ended.", 40),
  paused: flag("It delivers nothing.", false),
});

export const QUEUES = list(QUEUE);

const QUEUE_NAME = refusedAs(
  `must be ${ID_RULE}`,
  withKeywords(text("1 to 128 letters, digits, `.`, `_` or `-`; not `.` or `..`.", "invoices"), {
    pattern: ID_PATTERN,
  }),
);

export const QUEUE_REQUEST = closedObject(
  { queueName: QUEUE_NAME },
  {
    parallelism: withDefault(
      1,
      withKeywords(integer("How many messages are delivered at once.", 2), {
        minimum: 1,
        maximum: 1_000_000,
      }),
    ),
    paused: withDefault(false, flag("It accepts messages and delivers none.")),
  },
);

export type ShownQueue = TypeOf<typeof QUEUE>;
export type QueueRequest = TypeOf<typeof QUEUE_REQUEST>;

export const QUEUE_BODY_BYTES_MAX = 16 * 1024;

export const readQueueName = readerOf(QUEUE_NAME);
export const readQueueRequest = bodyReader(QUEUE_REQUEST, QUEUE_BODY_BYTES_MAX);
