import { anyOf } from "../../wire/json/schema.ts";
import { PROBLEM } from "../../wire/problem-schema.ts";
import { filterBody } from "../../wire/filters/body-filters.ts";
import { LIVE_ROWS } from "../../wire/message/cancel.ts";
import { LIVE_LIST_ROWS } from "../../wire/message/live-messages.ts";
import {
  BATCH,
  BATCH_ANSWERS,
  CALLBACKS,
  CANCELLED,
  MESSAGE,
  MESSAGE_PAGE,
  PUBLISHED,
  SENT_NOW,
} from "../../wire/message/message-schemas.ts";
import { publishBatch } from "./batch.ts";
import type { Route } from "../http/call.ts";
import {
  deleteMessage,
  deleteMessages,
  listCallbacks,
  listMessages,
  retryMessage,
  showMessage,
} from "./messages.ts";
import { enqueueMessage, publishMessage } from "./publish.ts";

export const SENDING_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/publish/{destination...}",
    title: "Publish a message",
    needs: "write",
    handler: publishMessage,
    publishes: true,
    says: "Publishes a message to a URL or a URL group. Answers once it is stored.",
    headers: "publish",
    body: "bytes",
    answers: { 200: PUBLISHED, 202: PUBLISHED },
  },
  {
    method: "POST",
    path: "/v2/enqueue/{queueName}/{destination...}",
    title: "Enqueue a message",
    needs: "write",
    handler: enqueueMessage,
    publishes: true,
    says: "Publishes through a queue. The first message creates the queue.",
    headers: "enqueue",
    body: "bytes",
    answers: { 200: PUBLISHED, 202: PUBLISHED },
  },
  {
    method: "POST",
    path: "/v2/batch",
    title: "Publish a batch",
    needs: "write",
    handler: publishBatch,
    publishes: true,
    says: "Publishes many messages in one request. Answers item by item.",
    body: BATCH,
    answers: { 200: BATCH_ANSWERS, 400: anyOf(PROBLEM, BATCH_ANSWERS) },
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}",
    title: "Get a message",
    needs: "read",
    handler: showMessage,
    says: "Shows a message. `state` is the newest state in its log. `waiting` says why it is not being sent now, as in `/v2/waiting`.",
    answers: { 200: MESSAGE },
  },
  {
    method: "GET",
    path: "/v2/messages",
    title: "List messages",
    needs: "read",
    handler: listMessages,
    lists: true,
    says: "Lists messages that have not ended, oldest first. Takes the filters of DELETE.",
    query: LIVE_LIST_ROWS,
    answers: { 200: MESSAGE_PAGE },
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}/callbacks",
    title: "List callbacks of a message",
    needs: "read",
    handler: listCallbacks,
    lists: true,
    says: "Lists the callbacks and failure callbacks that were made for a message, newest first, at most 100. Each is a message of its own.",
    answers: { 200: CALLBACKS },
  },
  {
    method: "POST",
    path: "/v2/messages/{messageId}/retry",
    title: "Send a message now",
    needs: "write",
    handler: retryMessage,
    says: "Ends the delay of a waiting message, or the wait for its next retry: `state` is `due`. Its queue, its key and its host still limit it. An attempt in progress goes on: `state` is `active`.",
    answers: { 200: SENT_NOW },
  },
  {
    method: "DELETE",
    path: "/v2/messages/{messageId}",
    title: "Cancel a message",
    needs: "write",
    handler: deleteMessage,
    says: "Cancels a message. An attempt in progress may still end; no other follows.",
    answers: { 200: CANCELLED },
  },
  {
    method: "DELETE",
    path: "/v2/messages",
    title: "Cancel messages",
    needs: "write",
    handler: deleteMessages,
    lists: true,
    says: "Cancels the messages that match. **Without a filter this cancels every message.**",
    query: LIVE_ROWS,
    body: filterBody(LIVE_ROWS),
    answers: { 200: CANCELLED },
  },
];
