import * as queues from "../../operations/line/queues.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import {
  QUEUE,
  QUEUE_BODY_BYTES_MAX,
  QUEUE_REQUEST,
  QUEUES,
  readQueueRequest,
} from "../../wire/line/queue.ts";
import { emptyAfter, json } from "../http/answers/answer.ts";
import type { Route } from "../http/server/call.ts";

export const QUEUE_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/queues",
    title: "Create or change a queue",
    needs: "write",
    handler: async ({ context }, { account, body }) => {
      const request = readQueueRequest(await body.read(QUEUE_BODY_BYTES_MAX));
      return emptyAfter(queues.putQueue(context, account, request));
    },
    says: "Creates a queue, or changes its parallelism and whether it is paused.",
    body: QUEUE_REQUEST,
    answers: { 200: null },
  },
  {
    method: "GET",
    path: "/v2/queues",
    title: "List queues",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      requireNoFilters(query);
      return json(200, await queues.listQueues(context, accountId));
    },
    lists: true,
    says: "Lists queues. `lag` is exact for small queues; large ones share a count of 20,000 messages.",
    answers: { 200: QUEUES },
  },
  {
    method: "GET",
    path: "/v2/queues/{queueName}",
    title: "Get a queue",
    needs: "read",
    handler: async ({ context }, { accountId, id }) =>
      json(200, await queues.getQueue(context, accountId, id)),
    says: "Shows a queue and how many of its messages have not ended.",
    answers: { 200: QUEUE },
  },
  {
    method: "DELETE",
    path: "/v2/queues/{queueName}",
    title: "Delete a queue",
    needs: "write",
    handler: ({ context }, { accountId, id }) =>
      emptyAfter(queues.removeQueue(context, accountId, id)),
    lists: true,
    says: "**Deletes a queue and cancels the messages in it.**",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/queues/{queueName}/pause",
    title: "Pause a queue",
    needs: "write",
    handler: ({ context }, { accountId, id }) =>
      emptyAfter(queues.pauseQueue(context, accountId, id, true)),
    says: "Pauses a queue. It accepts messages and delivers none.",
    answers: { 200: null },
  },
  {
    method: "POST",
    path: "/v2/queues/{queueName}/resume",
    title: "Resume a queue",
    needs: "write",
    handler: ({ context }, { accountId, id }) =>
      emptyAfter(queues.pauseQueue(context, accountId, id, false)),
    says: "Resumes a paused queue, oldest message first.",
    answers: { 200: null },
  },
];
