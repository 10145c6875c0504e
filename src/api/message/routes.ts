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
    needs: "write",
    handler: publishMessage,
    publishes: true,
    says: "Publishes a message to a URL or a URL group. Answers once it is stored.",
  },
  {
    method: "POST",
    path: "/v2/enqueue/{queueName}/{destination...}",
    needs: "write",
    handler: enqueueMessage,
    publishes: true,
    says: "Publishes through a queue. The first message creates the queue.",
  },
  {
    method: "POST",
    path: "/v2/batch",
    needs: "write",
    handler: publishBatch,
    publishes: true,
    says: "Publishes many messages in one request. Answers item by item.",
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}",
    needs: "read",
    handler: showMessage,
    says: "Shows a message. `state` is the newest state in its log. `waiting` says why it is not being sent now, as in `/v2/waiting`.",
  },
  {
    method: "GET",
    path: "/v2/messages",
    needs: "read",
    handler: listMessages,
    lists: true,
    says: "Lists messages that have not ended, oldest first. Takes the filters of DELETE.",
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}/callbacks",
    needs: "read",
    handler: listCallbacks,
    lists: true,
    says: "Lists the callbacks and failure callbacks that were made for a message, newest first, at most 100. Each is a message of its own.",
  },
  {
    method: "POST",
    path: "/v2/messages/{messageId}/retry",
    needs: "write",
    handler: retryMessage,
    says: "Ends the delay of a waiting message, or the wait for its next retry: `state` is `due`. Its queue, its key and its host still limit it. An attempt in progress goes on: `state` is `active`.",
  },
  {
    method: "DELETE",
    path: "/v2/messages/{messageId}",
    needs: "write",
    handler: deleteMessage,
    says: "Cancels a message. An attempt in progress may still end; no other follows.",
  },
  {
    method: "DELETE",
    path: "/v2/messages",
    needs: "write",
    handler: deleteMessages,
    lists: true,
    says: "Cancels the messages that match. **Without a filter this cancels every message.**",
  },
];
