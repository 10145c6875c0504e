import { publishBatch } from "./batch.ts";
import type { Route } from "../http/call.ts";
import { deleteMessage, deleteMessages, listMessages, showMessage } from "./messages.ts";
import { enqueueMessage, publishMessage } from "./publish.ts";

export const SENDING_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/publish/{destination...}",
    needs: "write",
    handler: publishMessage,
    publishes: true,
    says: "Accepts a message for a URL or a URL group; answers once it is stored.",
  },
  {
    method: "POST",
    path: "/v2/enqueue/{queueName}/{destination...}",
    needs: "write",
    handler: enqueueMessage,
    publishes: true,
    says: "The same onto a queue, which is made when it is used first.",
  },
  {
    method: "POST",
    path: "/v2/batch",
    needs: "write",
    handler: publishBatch,
    publishes: true,
    says: "Accepts many messages in one call, and answers item by item.",
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}",
    needs: "read",
    handler: showMessage,
    says: "Shows a message, and by `state` what its log says of it last.",
  },
  {
    method: "GET",
    path: "/v2/messages",
    needs: "read",
    handler: listMessages,
    lists: true,
    says: "Lists messages that have not ended, the oldest first; the filters are those of DELETE.",
  },
  {
    method: "DELETE",
    path: "/v2/messages/{messageId}",
    needs: "write",
    handler: deleteMessage,
    says: "Cancels a message; an attempt under way may still end, and no other follows.",
  },
  {
    method: "DELETE",
    path: "/v2/messages",
    needs: "write",
    handler: deleteMessages,
    lists: true,
    says: "Cancels the messages that match, all of them when nothing is asked.",
  },
];
