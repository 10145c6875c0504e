import { QUEUE, QUEUE_REQUEST, QUEUES } from "../../wire/line/queue.ts";
import type { Route } from "../http/server/call.ts";
import { deleteQueue, listQueues, pauseQueue, putQueue, resumeQueue, showQueue } from "./queues.ts";

export const QUEUE_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/queues",
    title: "Create or change a queue",
    needs: "write",
    handler: putQueue,
    says: "Creates a queue, or changes its parallelism and whether it is paused.",
    body: QUEUE_REQUEST,
    answers: { 200: null },
  },
  {
    method: "GET",
    path: "/v2/queues",
    title: "List queues",
    needs: "read",
    handler: listQueues,
    lists: true,
    says: "Lists queues. `lag` is exact for small queues; large ones share a count of 20,000 messages.",
    answers: { 200: QUEUES },
  },
  {
    method: "GET",
    path: "/v2/queues/{queueName}",
    title: "Get a queue",
    needs: "read",
    handler: showQueue,
    says: "Shows a queue and how many of its messages have not ended.",
    answers: { 200: QUEUE },
  },
  {
    method: "DELETE",
    path: "/v2/queues/{queueName}",
    title: "Delete a queue",
    needs: "write",
    handler: deleteQueue,
    lists: true,
    says: "**Deletes a queue and cancels the messages in it.**",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/queues/{queueName}/pause",
    title: "Pause a queue",
    needs: "write",
    handler: pauseQueue,
    says: "Pauses a queue. It accepts messages and delivers none.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/queues/{queueName}/resume",
    title: "Resume a queue",
    needs: "write",
    handler: resumeQueue,
    says: "Resumes a paused queue, oldest message first.",
    answers: { 200: null },
  },
];
