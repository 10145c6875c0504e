import { WAIT } from "../line/waiting.ts";
import { LOG_STATES } from "../../core/model/message/log-entry.ts";
import { HTTP_METHODS } from "../../core/model/message/message.ts";
import {
  anyOf,
  closedObject,
  orNull,
  refusedAs,
  choice,
  CURSOR,
  flag,
  headers,
  inlineObject,
  instant,
  list,
  object,
  page,
  text,
  integer,
  withKeywords,
} from "../json/schema.ts";
import { headerObject } from "../headers/header-object.ts";
import { PROBLEM } from "../problem-schema.ts";

/** The answers about messages, their log and dead letters. A test holds them to real answers. */

export const MESSAGE_ID = text("The id of the message.", "msg_01JGFJJZ00ABCDEFGHJKMNPQRS");
const LAST_STATUS = integer("Status of the last answer; 0 without an answer.", 503);
export const DLQ_ID = text("The id of the dead letter.", "1767225600000-17");
const DESTINATION = text("The destination.", "https://example.com/hook");

export const LABEL_MEMBERS = {
  label: text("The first label."),
  labels: list(text(), "All labels."),
};

export const METHOD = choice(HTTP_METHODS, "The method of the delivery.", "POST");
export const RETRIES = integer("Retries after the first attempt.", 3);

/** The settings that a message, a run and a schedule show; see `settingsJson`. */
export const SETTING_MEMBERS = {
  retryDelayExpression: text("The expression of `Svc-Retry-Delay`."),
  callback: text("URL that is called after every attempt."),
  failureCallback: text("URL that is called after the last failure."),
  ...LABEL_MEMBERS,
  flowControlKey: text("Its flow-control key."),
  parallelism: integer("Parallelism that it set for the key."),
  rate: integer("Rate that it set for the key."),
  period: integer("Period of the rate, in seconds."),
};

const HEADER = headers("Headers that are sent to the destination.", {
  "Content-Type": ["application/json"],
});

/** What a message, a run and a schedule send; see `contentJson`. */
export const CONTENT_MEMBERS = [
  {
    callerIP: text("Older name of `callerIp`."),
    callerIp: text("The address of the client that it came from.", "203.0.113.7"),
  },
  {
    header: HEADER,
    body: text("The body, if it is text.", '{"hello":"world"}'),
    bodyBase64: text("The body, if it is not text."),
    callbackHeader: headers("Headers that are sent to the callback."),
    failureCallbackHeader: headers("Headers that are sent to the failure callback."),
  },
] as const;

/** The settings that a message and each of its log entries show. */
const REQUEST = [
  { messageId: MESSAGE_ID, url: DESTINATION, method: METHOD, maxRetries: RETRIES },
  {
    topicName: text("The URL group that it was published to."),
    endpointName: text("The name of the endpoint in the URL group."),
    queueName: text("The queue that it goes through."),
    scheduleId: text("The schedule that published it."),
    ...SETTING_MEMBERS,
  },
] as const;

const MESSAGE_MEMBERS = [
  {
    ...REQUEST[0],
    ...CONTENT_MEMBERS[0],
    header: HEADER,
    notBefore: instant("No attempt starts before."),
    createdAt: instant("When it was accepted."),
    timeout: integer("Longest time of one attempt, in seconds.", 30),
  },
  { ...REQUEST[1], ...CONTENT_MEMBERS[1] },
] as const;

export const MESSAGE = object(
  "Message",
  {
    ...MESSAGE_MEMBERS[0],
    state: choice(LOG_STATES, "The newest state in its log.", "DELIVERED"),
  },
  {
    ...MESSAGE_MEMBERS[1],
    error: text("Why the last attempt failed; only of a failed message."),
    responseStatus: LAST_STATUS,
    dlqId: DLQ_ID,
    waiting: WAIT,
    addedHeader: headers("Headers that are added to them, besides `-Signature` and `-Retried`."),
    sourceMessageId: text("The message that it is a callback of."),
  },
);

export const CALLBACKS = object("Callbacks", {
  callbacks: list(
    object("Callback", {
      messageId: text("The callback is a message with this id."),
      kind: choice(["callback", "failure-callback"]),
      url: text("Where it is sent.", "https://example.com/called-back"),
      state: choice(LOG_STATES, "The newest state in its log.", "DELIVERED"),
      createdAt: instant("When it was made."),
    }),
  ),
});

export const MESSAGE_PAGE = page("MessagePage", "messages", MESSAGE);

export const LOG_ENTRY = object(
  "LogEntry",
  {
    time: instant("When the state changed."),
    state: choice(LOG_STATES, "The new state.", "DELIVERED"),
    ...REQUEST[0],
    timeout: integer("Longest time of one attempt, in milliseconds.", 30_000),
    callerIp: text("The address of the client that published the message."),
  },
  {
    error: text("Why the attempt failed."),
    nextDeliveryTime: instant("When the next attempt is due."),
    ...REQUEST[1],
    retryDelayExpr: text("Older name of `retryDelayExpression`."),
    header: headers("Headers of the message."),
    body: text("The body in base64."),
    callbackHeaders: headers("Headers that are sent to the callback."),
    failureCallbackHeaders: headers("Headers that are sent to the failure callback."),
    attempt: integer("The number of the attempt, from 1."),
    attemptStartedAt: instant("When the attempt started."),
    attemptDurationMs: integer("How long the attempt took."),
    nodeId: text("The node that made the attempt."),
    responseStatus: integer("Status of the answer.", 200),
    responseHeader: headers("Older name of `responseHeaders`."),
    responseHeaders: headers("Headers of the answer."),
    responseBody: text("Body of the answer in base64."),
    responseBodyTruncated: flag("Only a part of the body is stored."),
  },
);

export const LOG_PAGE = page("LogPage", "logs", LOG_ENTRY, {
  searched: integer("How many entries were searched for this page; not of the last one.", 20_000),
});
export const EVENT_PAGE = page("EventPage", "events", LOG_ENTRY);

/** In each dead letter, and in each group of them. */
const CAUSE = text(
  "What failures of one kind have in common: the error, or the name and message in the last answer, else its status. Numbers and ids are masked.",
  "CardDeclined: card of customer cus_<id> was declined after <n>ms",
);

/** What a dead letter and a failed run show of the end; see `deathJson`. */
export const DEATH_MEMBERS = [
  {
    dlqId: DLQ_ID,
    responseStatus: LAST_STATUS,
    cause: CAUSE,
    attempts: integer("How many attempts were made.", 4),
  },
  {
    error: text("Why the last attempt failed."),
    responseHeader: headers("Headers of the last answer."),
    responseBody: text("Body of the last answer, if it is text."),
    responseBodyBase64: text("Body of the last answer, if it is not text."),
    responseBodyTruncated: flag("Only a part of the body is stored."),
  },
] as const;

export const DEAD_LETTER = object(
  "DeadLetter",
  { ...MESSAGE_MEMBERS[0], ...DEATH_MEMBERS[0] },
  { ...MESSAGE_MEMBERS[1], ...DEATH_MEMBERS[1] },
);

/** How many dead letters have a cause or a host in common, and when they failed. */
const DEAD_COUNT = {
  count: integer("How many dead letters have it in common.", 12),
  attempts: integer("How many attempts were made of all of them.", 48),
  firstAt: instant("When the oldest of them failed."),
  lastAt: instant("When the newest of them failed."),
  hours: list(
    inlineObject({
      at: instant("When the hour begins."),
      count: integer("How many of them failed in it.", 3),
    }),
    "By the hour in which they failed, the newest first.",
  ),
};

export const DEAD_LETTER_GROUP = object(
  "DeadLetterGroup",
  {
    responseStatus: LAST_STATUS,
    cause: CAUSE,
    ...DEAD_COUNT,
  },
  { error: text("Why the last attempt failed, where all of them have the same text.") },
);

export const DEAD_LETTER_GROUPS = object("DeadLetterGroups", { groups: list(DEAD_LETTER_GROUP) });

export const DEAD_LETTER_HOST = object("DeadLetterHost", {
  host: text("The host, with its port if the URL has one.", "api.example.com"),
  ...DEAD_COUNT,
});

export const DEAD_LETTER_HOSTS = object("DeadLetterHosts", { hosts: list(DEAD_LETTER_HOST) });

const DUPLICATE = { deduplicated: flag("It is a duplicate; nothing was sent.") };

export const ACCEPTED = object("Accepted", { messageId: MESSAGE_ID, url: DESTINATION }, DUPLICATE);

/** What an endpoint publishes for its run is shown without its URL. */
const ACCEPTED_FOR_RUN = object("AcceptedForRun", { messageId: MESSAGE_ID }, DUPLICATE);

/** A publish to a URL answers one object, to a URL group one for each endpoint. */
export const PUBLISHED = anyOf(ACCEPTED, list(ACCEPTED), ACCEPTED_FOR_RUN);

export const RETRIED = page("RetriedMessages", "responses", ACCEPTED);
export const DELETED = object(
  "DeletedCount",
  { deleted: integer("How many were deleted.", 3) },
  { cursor: CURSOR },
);

/** The dead letters that a bulk call is about. */
export const DLQ_IDS = refusedAs(
  "must be an object with the one member dlqIds",
  inlineObject(
    {},
    { dlqIds: withKeywords(list(DLQ_ID, "Only these dead letters."), { maxItems: 1_000 }) },
  ),
);

export const CANCELED = object(
  "CancelledCount",
  { cancelled: integer("How many were canceled.", 1) },
  { inFlight: integer("How many of them had an attempt in progress.") },
);

export const SENT_NOW = object("SentNow", {
  messageId: MESSAGE_ID,
  state: choice(["due", "active"], "`active`: an attempt is in progress."),
});

export const SENT_MANY_NOW = object(
  "SentManyNow",
  { retried: integer("How many waited for a time, and are due.", 12) },
  { cursor: text("Present when there is more: send it to continue.") },
);

/** The answer of a bulk call with `dryRun`. */
export const COUNTED = object("BulkCount", {
  dryRun: flag("Nothing was changed."),
  count: integer("How many would be changed.", 12),
  isAbout: flag("There may be more.", false),
});

/** One item of a batch, as a publish has them in path, headers and body. */
export const BATCH_ITEM = withKeywords(
  closedObject(
    {
      destination: refusedAs(
        "must be a string",
        text("A URL, or the name of a URL group.", "https://example.com/hook"),
      ),
    },
    {
      headers: orNull(
        headerObject("The headers of a publish. A value is a text, or a list of texts."),
      ),
      body: orNull(text("The body of the message.", '{"hello":"world"}')),
      queue: orNull(text("The queue to publish through.")),
    },
  ),
  { title: "BatchItem" },
);

export const BATCH_ITEMS_MAX = 1_000;

export const BATCH = withKeywords(list(BATCH_ITEM), { maxItems: BATCH_ITEMS_MAX });

/** Item by item: what a publish answers, or why the item was refused. */
export const BATCH_ANSWERS = list(anyOf(ACCEPTED, list(ACCEPTED), ACCEPTED_FOR_RUN, PROBLEM));
