import type { ScheduleKey } from "../../core/model/schedule/schedule.ts";
import { dialectOf } from "../../operations/context.ts";
import { isLarge, partsInMemory } from "../../operations/message/body-parts.ts";
import { requireTarget } from "../../operations/message/destinations.ts";
import { nextInstants } from "../../core/policy/cron/cron.ts";
import * as schedules from "../../operations/schedule/schedules.ts";
import { readCronPreview } from "../../wire/schedule/cron-preview.ts";
import { readDestination } from "../../wire/message/destination.ts";
import { scheduleJson } from "../../wire/schedule/schedule.ts";
import {
  readScheduleListQuery,
  readScheduleRequest,
} from "../../wire/schedule/schedule-request.ts";
import { type Answer, EMPTY, json, jsonAndBody } from "../http/answers/answer.ts";
import type { AccountCall, Api } from "../http/server/call.ts";
import { publishedTo } from "../message/publish.ts";

export async function createSchedule(api: Api, call: AccountCall): Promise<Answer> {
  const { account } = call.access;
  const { destination, aliases } = readDestination(call.rest);
  const target = await requireTarget(api.context, account.accountId, destination);
  const request = readScheduleRequest(call.request.rawHeaders, aliases, {
    defaultDialect: dialectOf(api.context, account),
    retriesDefault: account.limits.retriesDefault,
    groupHeaders: target.groupHeaders,
  });
  const body = await call.body.read(account.limits.messageBytesMax);
  const callerIp = api.callerIp(call.request);
  const scheduleId = await schedules.putSchedule(api.context, {
    account,
    destination,
    target,
    request,
    body,
    callerIp,
  });
  return json(200, { scheduleId });
}

export async function listSchedules({ context }: Api, call: AccountCall): Promise<Answer> {
  const { accountId } = call.access.account;
  const query = readScheduleListQuery(call.query);
  const listed = await schedules.listSchedules(context, accountId, query);
  const answer = json(200, listed.schedules.map(scheduleJson));
  if (listed.next === null) return answer;
  // The response is a bare list, so only a header can name the next page.
  return { ...answer, headers: ["Link", `</v2/schedules?after=${listed.next}>; rel="next"`] };
}

export async function showSchedule({ context }: Api, call: AccountCall): Promise<Answer> {
  await context.reserve?.(call.access.account.limits.messageBytesMax);
  const shown = await schedules.getSchedule(context, keyOf(call));
  const { schedule, body } = shown;
  if (!isLarge(body, schedule.options.settings)) return json(200, scheduleJson(shown));
  return jsonAndBody(scheduleJson({ ...shown, body: NO_BYTES }), () => partsInMemory(body));
}

export async function deleteSchedule({ context }: Api, call: AccountCall): Promise<Answer> {
  await schedules.removeSchedule(context, keyOf(call));
  return EMPTY;
}

export async function pauseSchedule({ context }: Api, call: AccountCall): Promise<Answer> {
  await schedules.pauseSchedule(context, keyOf(call), true);
  return json(200, {});
}

export async function resumeSchedule({ context }: Api, call: AccountCall): Promise<Answer> {
  await schedules.pauseSchedule(context, keyOf(call), false);
  return json(200, {});
}

export async function runSchedule({ context }: Api, call: AccountCall): Promise<Answer> {
  const { account } = call.access;
  const { target, answers } = await schedules.runSchedule(context, account, keyOf(call));
  return publishedTo(target, answers);
}

/** When a schedule with this expression would fire; nothing is stored. */
export function previewCron({ clock }: Api, call: AccountCall): Answer {
  const { cron, count } = readCronPreview(call.query);
  return json(200, { times: nextInstants(cron, clock.now(), count) });
}

function keyOf({ access, parameters }: AccountCall): ScheduleKey {
  return { accountId: access.account.accountId, scheduleId: parameters[0]! };
}

const NO_BYTES = new Uint8Array(0);
