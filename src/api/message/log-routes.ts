import { listLog } from "../../operations/message/messages.ts";
import { LOG_ROWS, readLogQuery } from "../../wire/filters/filters.ts";
import { logEntryJson } from "../../wire/message/message.ts";
import { EVENT_PAGE, LOG_PAGE } from "../../wire/message/message-schemas.ts";
import { jsonPage } from "../http/answers/answer.ts";
import type { Route } from "../http/server/call.ts";
import { streamLog } from "./stream.ts";

export const LOG_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/logs",
    title: "List log entries",
    needs: "read",
    handler: async ({ context }, { account, query }) => {
      const { items, ...page } = await listLog(context, account, readLogQuery(query));
      return jsonPage(page, "logs", items, logEntryJson);
    },
    lists: true,
    says: "Lists log entries, newest first.",
    query: LOG_ROWS,
    answers: { 200: LOG_PAGE },
  },
  {
    method: "GET",
    path: "/v2/stream",
    title: "Stream log entries",
    needs: "read",
    handler: streamLog,
    says: "Sends the account's new log entries as server-sent events, until the caller hangs up. `Last-Event-ID` resumes.",
    answers: { 200: null },
  },
  {
    method: "GET",
    path: "/v2/events",
    title: "List events",
    needs: "read",
    handler: async ({ context }, { account, query }) => {
      const { items, cursor } = await listLog(context, account, readLogQuery(query));
      return jsonPage({ cursor }, "events", items, logEntryJson);
    },
    lists: true,
    // Every SDK uses it.
    says: "The older name of `/v2/logs`.",
    query: LOG_ROWS,
    answers: { 200: EVENT_PAGE },
    isOlder: true,
  },
];
