import { NOTHING } from "../../wire/json/schema.ts";
import { PUBLISHED } from "../../wire/message/message-schemas.ts";
import { CRON_PREVIEW_ROWS } from "../../wire/schedule/cron-preview.ts";
import { SCHEDULE_LIST_ROWS } from "../../wire/schedule/schedule-request.ts";
import {
  CREATED_SCHEDULE,
  CRON_TIMES,
  SCHEDULE,
  SCHEDULES,
} from "../../wire/schedule/schedule-schemas.ts";
import type { Route } from "../http/server/call.ts";
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  pauseSchedule,
  previewCron,
  resumeSchedule,
  runSchedule,
  showSchedule,
} from "./schedules.ts";

/** Older clients pause and resume with another method. */
const SWITCHING = ["POST", "PATCH", "PUT"] as const;

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
    handler: listSchedules,
    lists: true,
    says: "Lists schedules by id. A `Link` header names the next page.",
    query: SCHEDULE_LIST_ROWS,
    answers: { 200: SCHEDULES },
  },
  {
    method: "GET",
    path: "/v2/schedules/{scheduleId}",
    title: "Get a schedule",
    needs: "read",
    handler: showSchedule,
    says: "Shows a schedule, its next time, and the states of its last messages.",
    answers: { 200: SCHEDULE },
  },
  {
    method: "DELETE",
    path: "/v2/schedules/{scheduleId}",
    title: "Delete a schedule",
    needs: "write",
    handler: deleteSchedule,
    says: "Deletes a schedule. Messages it has published are still delivered.",
    answers: { 200: null },
  },
  ...SWITCHING.map((method): Route => ({
    method,
    path: "/v2/schedules/{scheduleId}/pause",
    title: "Pause a schedule",
    needs: "write",
    handler: pauseSchedule,
    answers: { 200: NOTHING },
    isOlder: method !== "POST",
    says: "Pauses a schedule. It publishes nothing until it is resumed.",
  })),
  ...SWITCHING.map((method): Route => ({
    method,
    path: "/v2/schedules/{scheduleId}/resume",
    title: "Resume a schedule",
    needs: "write",
    handler: resumeSchedule,
    answers: { 200: NOTHING },
    isOlder: method !== "POST",
    says: "Resumes a schedule with its next tick. Ticks missed while paused are not made up.",
  })),
  {
    method: "POST",
    path: "/v2/schedules/{scheduleId}/run",
    title: "Run a schedule now",
    needs: "write",
    handler: runSchedule,
    says: "Publishes the message of the schedule now. Answers as publish does.",
    answers: { 200: PUBLISHED, 202: PUBLISHED },
  },
  // Outside the path of schedules, whose ids may be any word.
  {
    method: "GET",
    path: "/v2/cron/preview",
    title: "Preview a cron expression",
    needs: "read",
    handler: previewCron,
    says: "Shows the next `?count=` times of the expression `?cron=`. Stores nothing.",
    query: CRON_PREVIEW_ROWS,
    answers: { 200: CRON_TIMES },
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
    answers: { 200: CREATED_SCHEDULE },
  },
];
