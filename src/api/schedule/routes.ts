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
 * The endpoints of schedules. An id holds no slash and a URL begins with its scheme, so that
 * `{scheduleId}/pause` is never taken for a destination; the fixed words come first.
 */
export const SCHEDULE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v2/schedules",
    needs: "read",
    handler: listSchedules,
    lists: true,
    says: "Lists the schedules by id; a Link header says where a long list goes on.",
  },
  {
    method: "GET",
    path: "/v2/schedules/{scheduleId}",
    needs: "read",
    handler: showSchedule,
    says: "Shows a schedule, when it fires next, and what became of its last messages.",
  },
  {
    method: "DELETE",
    path: "/v2/schedules/{scheduleId}",
    needs: "write",
    handler: deleteSchedule,
    says: "Removes a schedule; messages that it has made go on.",
  },
  ...SWITCHING.map((method): Route => ({
    method,
    path: "/v2/schedules/{scheduleId}/pause",
    needs: "write",
    handler: pauseSchedule,
    says: "Pauses a schedule; ticks that come meanwhile make nothing.",
  })),
  ...SWITCHING.map((method): Route => ({
    method,
    path: "/v2/schedules/{scheduleId}/resume",
    needs: "write",
    handler: resumeSchedule,
    says: "Resumes a schedule with its next tick; nothing is made up.",
  })),
  {
    method: "POST",
    path: "/v2/schedules/{scheduleId}/run",
    needs: "write",
    handler: runSchedule,
    says: "Publishes what the schedule would, now; answers as publish does.",
  },
  // Apart from the schedules, one of which may be called like any word.
  {
    method: "GET",
    path: "/v2/cron/preview",
    needs: "read",
    handler: previewCron,
    says: "Tells when ?cron= would fire next, ?count= times; stores nothing.",
  },
  {
    method: "POST",
    path: "/v2/schedules/{destination...}",
    needs: "write",
    handler: createSchedule,
    says: "Makes a schedule for a destination, or replaces the one with the same id.",
  },
];
