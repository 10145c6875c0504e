import * as queries from "../../wire/filters/filters.ts";
import * as schemas from "../../wire/message/message-schemas.ts";
import { addedHeaders } from "../../delivery/http/outbound-request.ts";
import type { CancelAnswer } from "../../core/rules/message/cancel.ts";
import { countLive } from "../../operations/bulk-pages.ts";
import { bodyParts } from "../../operations/message/body-parts.ts";
import { cancelMessage, cancelMessages } from "../../operations/message/cancel.ts";
import { listLiveMessages, getMessage, listCallbacks } from "../../operations/message/messages.ts";
import { countWaiting, sendManyNow, sendNow } from "../../operations/message/send-now.ts";
import { BODY_BYTES_MAX, readNothing } from "../../wire/account/account-request.ts";
import { FILTER_BODY_BYTES_MAX, filterBody } from "../../wire/filters/filters.ts";
import { requireNoFilters } from "../../wire/filters/filter-parameters.ts";
import { anyOf } from "../../wire/json/schema.ts";
import { callbackJson, messageWithStateJson } from "../../wire/message/message.ts";
import { PROBLEM } from "../../wire/problem-schema.ts";
import { type Answer, counted, json, jsonPage, jsonAndBody } from "../http/answers/answer.ts";
import type { AccountCall, Route } from "../http/server/call.ts";
import { acceptMessage, publishBatch } from "./publish.ts";

export const SENDING_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: "/v2/publish/{destination...}",
    title: "Publish a message",
    needs: "write",
    handler: (api, call) => acceptMessage(api, call, undefined),
    publishes: true,
    says: "Publishes a message to a URL or a URL group. Answers once it is stored.",
    headers: "publish",
    body: "bytes",
    answers: { 200: schemas.PUBLISHED, 202: schemas.PUBLISHED },
  },
  {
    method: "POST",
    path: "/v2/enqueue/{queueName}/{destination...}",
    title: "Enqueue a message",
    needs: "write",
    handler: (api, call) => acceptMessage(api, call, call.id),
    publishes: true,
    says: "Publishes through a queue. The first message creates the queue.",
    headers: "enqueue",
    body: "bytes",
    answers: { 200: schemas.PUBLISHED, 202: schemas.PUBLISHED },
  },
  {
    method: "POST",
    path: "/v2/batch",
    title: "Publish a batch",
    needs: "write",
    handler: publishBatch,
    publishes: true,
    says: "Publishes many messages in one request. Answers item by item.",
    body: schemas.BATCH,
    answers: { 200: schemas.BATCH_ANSWERS, 400: anyOf(PROBLEM, schemas.BATCH_ANSWERS) },
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}",
    title: "Get a message",
    needs: "read",
    handler: async ({ context, region }, call) => {
      const key = keyOf(call);
      const found = await getMessage(context, key);
      const { message, body } = found;
      return jsonAndBody(
        body,
        message.settings,
        (shown) => ({
          ...messageWithStateJson({ ...found, body: shown }),
          addedHeader: addedHeaders(message, region),
        }),
        () => bodyParts(context, key, body),
      );
    },
    says: "Shows a message. `state` is the newest state in its log. `waiting` says why it is not being sent now, as in `/v2/waiting`.",
    answers: { 200: schemas.MESSAGE },
  },
  {
    method: "GET",
    path: "/v2/messages",
    title: "List messages",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      const { items, cursor } = await listLiveMessages(
        context,
        accountId,
        queries.readLiveQuery(query),
      );
      return jsonPage({ cursor }, "messages", items, messageWithStateJson);
    },
    lists: true,
    says: "Lists messages that have not ended, oldest first. Takes the filters of DELETE.",
    query: queries.LIVE_LIST_ROWS,
    answers: { 200: schemas.MESSAGE_PAGE },
  },
  {
    method: "GET",
    path: "/v2/messages/{messageId}/callbacks",
    title: "List callbacks of a message",
    needs: "read",
    handler: async ({ context }, call) => {
      requireNoFilters(call.query);
      const callbacks = await listCallbacks(context, keyOf(call));
      return json(200, { callbacks: callbacks.map(callbackJson) });
    },
    lists: true,
    says: "Lists the callbacks and failure callbacks that were made for a message, newest first, at most 100. Each is a message of its own.",
    answers: { 200: schemas.CALLBACKS },
  },
  {
    method: "POST",
    path: "/v2/messages/{messageId}/retry",
    title: "Send a message now",
    needs: "write",
    handler: async ({ context }, call) => {
      readNothing(await call.body.read(BODY_BYTES_MAX));
      return json(200, { messageId: call.id, state: await sendNow(context, keyOf(call)) });
    },
    says: "Ends the delay of a waiting message, or the wait for its next retry: `state` is `due`. Its queue, its key and its host still limit it. An attempt in progress goes on: `state` is `active`.",
    answers: { 200: schemas.SENT_NOW },
  },
  {
    method: "POST",
    path: "/v2/messages/retry",
    title: "Send messages now",
    needs: "write",
    handler: async ({ context }, { account, query: given, body }) => {
      const query = queries.readSendNowQuery(given, await body.read(FILTER_BODY_BYTES_MAX));
      if (query.isDryRun) return counted(await countWaiting(context, account, query));
      const { retried, cursor } = await sendManyNow(context, account, query);
      return json(200, { cursor, retried });
    },
    lists: true,
    says: "Ends the delay, or the wait for the next retry, of the messages that match. Their queues, keys and hosts still limit them. Delivered and dead messages stay as they are. `over=10m` spreads them evenly over that time, at most `1d`. **Without a filter this sends every message that waits for a time.**",
    query: queries.SEND_NOW_ROWS,
    body: filterBody(queries.SEND_NOW_ROWS),
    answers: { 200: anyOf(schemas.SENT_MANY_NOW, schemas.COUNTED) },
  },
  {
    method: "DELETE",
    path: "/v2/messages/{messageId}",
    title: "Cancel a message",
    needs: "write",
    handler: async ({ context }, call) => canceled(await cancelMessage(context, keyOf(call))),
    says: "Cancels a message. An attempt in progress may still end; no other follows.",
    answers: { 200: schemas.CANCELED },
  },
  {
    method: "DELETE",
    path: "/v2/messages",
    title: "Cancel messages",
    needs: "write",
    handler: async ({ context }, { accountId, query: given, body }) => {
      const query = queries.readCancelQuery(given, await body.read(FILTER_BODY_BYTES_MAX));
      if (query.isDryRun) {
        return counted(await countLive(context, accountId, query, { action: "cancel" }));
      }
      return canceled(await cancelMessages(context, accountId, query));
    },
    lists: true,
    says: "Cancels the messages that match. **Without a filter this cancels every message.**",
    query: queries.CANCEL_ROWS,
    body: filterBody(queries.CANCEL_ROWS),
    answers: { 200: anyOf(schemas.CANCELED, schemas.COUNTED) },
  },
];

function canceled({ canceled: count, inFlight }: CancelAnswer): Answer {
  return json(200, { cancelled: count, inFlight: inFlight === 0 ? undefined : inFlight });
}

function keyOf({ accountId, id }: AccountCall): { accountId: string; messageId: string } {
  return { accountId, messageId: id };
}
