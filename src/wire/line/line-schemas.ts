import { bare, flag, instant, list, object, text, whole } from "../json/schema.ts";

/** The answers about queues and flow-control keys. A test holds them to real answers. */

export const QUEUE = object("Queue", {
  createdAt: instant("When it was created."),
  updatedAt: instant("When it was last changed."),
  name: text("Its name.", "invoices"),
  parallelism: whole("How many of its messages are delivered at once.", 2),
  lag: whole("Messages in it that have not ended.", 40),
  paused: flag("It delivers nothing.", false),
});

export const QUEUES = list(QUEUE);

export const QUEUE_REQUEST = bare(
  { queueName: text("1 to 128 letters, digits, `.`, `_` or `-`.", "invoices") },
  {
    parallelism: {
      ...whole("How many messages are delivered at once.", 2),
      minimum: 1,
      default: 1,
    },
    paused: { ...flag("It accepts messages and delivers none."), default: false },
  },
);

export const FLOW_CONTROL_KEY = object("FlowControlKey", {
  flowControlKey: text("The key.", "tenant-7"),
  waitListSize: whole("Messages that wait.", 120),
  parallelismMax: whole("Attempts at once; 0 for no limit.", 5),
  parallelismCount: whole("Attempts in progress.", 5),
  rateMax: whole("Attempts that may start in a period; 0 for no limit.", 100),
  rateCount: whole("Attempts that started in this period.", 64),
  ratePeriod: whole("The period, in seconds.", 60),
  ratePeriodStart: whole("When the period began. Unix seconds.", 1_767_225_600),
  isPaused: flag("No message under it starts.", false),
  isPinnedParallelism: flag("Messages do not change the parallelism.", false),
  isPinnedRate: flag("Messages do not change the rate.", false),
});

export const FLOW_CONTROL_KEYS = list(FLOW_CONTROL_KEY);

export const GLOBAL_PARALLELISM = object("GlobalParallelism", {
  parallelismMax: whole("Attempts at once; 0 for no limit.", 100),
  parallelismCount: whole("Attempts in progress.", 3),
});
