import type { Route } from "../http/call.ts";
import { deleteQueue, listQueues, pauseQueue, putQueue, resumeQueue, showQueue } from "./queues.ts";

export const QUEUE_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/queues",
    needs: "write",
    handler: putQueue,
    says: "Creates a queue, or changes its parallelism and whether it is paused.",
  },
  {
    method: "GET",
    path: "/v2/queues",
    needs: "read",
    handler: listQueues,
    lists: true,
    says: "Lists queues.",
  },
  {
    method: "GET",
    path: "/v2/queues/{queueName}",
    needs: "read",
    handler: showQueue,
    says: "Shows a queue and how many of its messages have not ended.",
  },
  {
    method: "DELETE",
    path: "/v2/queues/{queueName}",
    needs: "write",
    handler: deleteQueue,
    lists: true,
    says: "**Deletes a queue and cancels the messages in it.**",
  },
  {
    method: "POST",
    path: "/v2/queues/{queueName}/pause",
    needs: "write",
    handler: pauseQueue,
    says: "Pauses a queue. It accepts messages and delivers none.",
  },
  {
    method: "POST",
    path: "/v2/queues/{queueName}/resume",
    needs: "write",
    handler: resumeQueue,
    says: "Resumes a paused queue, oldest message first.",
  },
];
