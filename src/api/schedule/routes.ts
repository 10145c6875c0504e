import type { Route } from "../http/call.ts";
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
    needs: "read",
    handler: listSchedules,
    lists: true,
    says: "Lists schedules by id. A `Link` header names the next page.",
  },
  {
    method: "GET",
    path: "/v2/schedules/{scheduleId}",
    needs: "read",
    handler: showSchedule,
    says: "Shows a schedule, its next time, and the states of its last messages.",
  },
  {
    method: "DELETE",
    path: "/v2/schedules/{scheduleId}",
    needs: "write",
    handler: deleteSchedule,
    says: "Deletes a schedule. Messages it has published are still delivered.",
  },
  ...SWITCHING.map((method): Route => ({
    method,
    path: "/v2/schedules/{scheduleId}/pause",
    needs: "write",
    handler: pauseSchedule,
    says: "Pauses a schedule. It publishes nothing until it is resumed.",
  })),
  ...SWITCHING.map((method): Route => ({
    method,
    path: "/v2/schedules/{scheduleId}/resume",
    needs: "write",
    handler: resumeSchedule,
    says: "Resumes a schedule with its next tick. Ticks missed while paused are not made up.",
  })),
  {
    method: "POST",
    path: "/v2/schedules/{scheduleId}/run",
    needs: "write",
    handler: runSchedule,
    says: "Publishes the message of the schedule now. Answers as publish does.",
  },
  // Outside the path of schedules, whose ids may be any word.
  {
    method: "GET",
    path: "/v2/cron/preview",
    needs: "read",
    handler: previewCron,
    says: "Shows the next `?count=` times of the expression `?cron=`. Stores nothing.",
  },
  {
    method: "POST",
    path: "/v2/schedules/{destination...}",
    needs: "write",
    handler: createSchedule,
    says: "Creates a schedule, or replaces the one with the same id.",
  },
];
