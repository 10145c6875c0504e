import * as schedules from "../../operations/schedule/schedules.ts";
import * as wire from "../../wire/schedule/schedule.ts";
import type { ScheduleKey } from "../../core/model/schedule/schedule.ts";
import { nextInstants } from "../../core/policy/cron/cron.ts";
import { dialectOf } from "../../operations/context.ts";
import { requireTarget } from "../../operations/message/destinations.ts";
import { NOTHING } from "../../wire/json/schema.ts";
import { readDestination } from "../../wire/message/destination.ts";
import { PUBLISHED } from "../../wire/message/message-schemas.ts";
import {
  CRON_PREVIEW_ROWS,
  readCronPreview,
  readScheduleList,
  readScheduleRequest,
  SCHEDULE_LIST_ROWS,
} from "../../wire/schedule/schedule.ts";
import { type Answer, emptyAfter, json, jsonAndBody } from "../http/answers/answer.ts";
import type { AccountCall, Api, Route } from "../http/server/call.ts";
import { publishedTo } from "../message/publish.ts";

/**
 * The endpoints of schedules. An id holds no slash and a URL begins with its scheme, so
 * `{scheduleId}/pause` is never taken for a destination; the fixed words come first.
 */
export const SCHEDULE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/schedules",
    title: "List schedules",
    needs: "read",
    handler: async ({ context }, { accountId, query }) => {
      const listed = await schedules.listSchedules(context, accountId, readScheduleList(query));
      const answer = json(200, listed.schedules.map(wire.scheduleJson));
      if (listed.next === null) return answer;
      // The response is a bare list, so only a header can name the next page.
      return { ...answer, headers: ["Link", `</v2/schedules?after=${listed.next}>; rel="next"`] };
    },
    lists: true,
    says: "Lists schedules by id. A `Link` header names the next page.",
    query: SCHEDULE_LIST_ROWS,
    answers: { 200: wire.SCHEDULES },
  },
  {
    method: "GET",
    path: "/v2/schedules/{scheduleId}",
    title: "Get a schedule",
    needs: "read",
    handler: async ({ context }, call) => {
      await context.reserve?.(call.account.limits.messageBytesMax);
      const shown = await schedules.getSchedule(context, keyOf(call));
      const { settings } = shown.schedule.options;
      return jsonAndBody(shown.body, settings, (body) => wire.scheduleJson({ ...shown, body }));
    },
    says: "Shows a schedule, its next time, and the states of its last messages.",
    answers: { 200: wire.SCHEDULE },
  },
  {
    method: "DELETE",
    path: "/v2/schedules/{scheduleId}",
    title: "Delete a schedule",
    needs: "write",
    handler: ({ context }, call) => emptyAfter(schedules.removeSchedule(context, keyOf(call))),
    says: "Deletes a schedule. Messages it has published are still delivered.",
    answers: { 200: null },
  },
  ...switching(
    "pause",
    "Pause a schedule",
    "Pauses a schedule. It publishes nothing until it is resumed.",
  ),
  ...switching(
    "resume",
    "Resume a schedule",
    "Resumes a schedule with its next tick. Ticks missed while paused are not made up.",
  ),
  {
    method: "POST",
    path: "/v2/schedules/{scheduleId}/run",
    title: "Run a schedule now",
    needs: "write",
    handler: async ({ context }, call) => {
      const { target, answers } = await schedules.runSchedule(context, call.account, keyOf(call));
      return publishedTo(target, answers);
    },
    says: "Publishes the message of the schedule now. Answers as publish does.",
    answers: { 200: PUBLISHED, 202: PUBLISHED },
  },
  // Outside the path of schedules, whose ids may be any word.
  {
    method: "GET",
    path: "/v2/cron/preview",
    title: "Preview a cron expression",
    needs: "read",
    handler: ({ context }, { query }) => {
      const { cron, count } = readCronPreview(query);
      return json(200, { times: nextInstants(cron, context.clock.now(), count) });
    },
    says: "Shows the next `?count=` times of the expression `?cron=`. Stores nothing.",
    query: CRON_PREVIEW_ROWS,
    answers: { 200: wire.CRON_TIMES },
  },
  {
    method: "POST",
    path: "/v2/schedules/{destination...}",
    title: "Create a schedule",
    needs: "write",
    handler: createSchedule,
    says: "Creates a schedule, or replaces the one with the same id.",
    headers: "schedule",
    body: "bytes",
    answers: { 200: wire.CREATED_SCHEDULE },
  },
];

/** Older clients pause and resume with another method. */
function switching(verb: "pause" | "resume", title: string, says: string): Route[] {
  return (["POST", "PATCH", "PUT"] as const).map((method) => ({
    method,
    path: `/v2/schedules/{scheduleId}/${verb}`,
    title,
    needs: "write",
    handler: async ({ context }, call) => {
      await schedules.pauseSchedule(context, keyOf(call), verb === "pause");
      return json(200, {});
    },
    answers: { 200: NOTHING },
    isOlder: method !== "POST",
    says,
  }));
}

async function createSchedule(
  api: Api,
  { account, rest, request, body }: AccountCall,
): Promise<Answer> {
  const { destination, aliases } = readDestination(rest);
  const target = await requireTarget(api.context, account.accountId, destination);
  const read = readScheduleRequest(request.rawHeaders, aliases, {
    defaultDialect: dialectOf(api.context, account),
    retriesDefault: account.limits.retriesDefault,
    groupHeaders: target.groupHeaders,
  });
  const scheduleId = await schedules.putSchedule(api.context, {
    account,
    destination,
    target,
    request: read,
    body: await body.read(account.limits.messageBytesMax),
    callerIp: api.callerIp(request),
  });
  return json(200, { scheduleId });
}

function keyOf({ accountId, id }: AccountCall): ScheduleKey {
  return { accountId, scheduleId: id };
}
