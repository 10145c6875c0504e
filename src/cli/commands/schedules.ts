import type { Schedule } from "../../../sdk/src/answers/schedule.ts";
import type { NewSchedule } from "../../../sdk/src/client/schedules.ts";
import { confirm } from "../terminal/ask-person.ts";
import { type Handlers, type Invocation, word } from "../invocation.ts";
import { type Columns, factLines, plain } from "../terminal/output.ts";
import { timeText } from "../terminal/time-text.ts";
import { limitOf, pageCount } from "./filter-options.ts";
import { bodyOf, messageSettings } from "./message-options.ts";

export const HANDLERS: Handlers = {
  "schedules list": async ({ client, output, flags }) => {
    const limit = limitOf(flags);
    const schedules = await client.schedules.list({ count: pageCount(limit) });
    await output.list(schedules, SCHEDULES, limit);
  },
  "schedules create": async (invocation) => {
    const { client, output } = invocation;
    const schedule = scheduleOf(invocation);
    const created = await client.schedules.create(schedule);
    const [next] = await client.schedules.preview(schedule.cron, 1);
    output.one(
      created,
      () => `${created.scheduleId}  next at ${timeText(next?.getTime())}`,
      created.scheduleId,
    );
  },
  "schedules show": async ({ client, output, ...invocation }) => {
    const schedule = await client.schedules.get(word(invocation, 0));
    const times = await client.schedules.preview(schedule.cron, 5);
    output.one(
      { ...schedule, nextTimes: times.map((time) => time.getTime()) },
      () => scheduleText(schedule, times),
      schedule.scheduleId,
    );
  },
  "schedules preview": async ({ client, output, flags, ...invocation }) => {
    const times = await client.schedules.preview(word(invocation, 0), flags.number("count") ?? 5);
    const shown = times.map((time) => time.getTime());
    output.one({ times: shown }, () => shown.map(timeText).join("\n"));
  },
  "schedules run": async ({ client, output, ...invocation }) => {
    const answer = await client.schedules.runNow(word(invocation, 0));
    const ids = [answer].flat().map((one) => (one as { messageId: string }).messageId);
    output.ids(ids);
    output.one(answer, () => ids.join("\n"));
  },
  "schedules pause": async ({ client, output, ...invocation }) => {
    await client.schedules.pause(word(invocation, 0));
    output.done("The schedule is paused.");
  },
  "schedules resume": async ({ client, output, ...invocation }) => {
    await client.schedules.resume(word(invocation, 0));
    output.done("The schedule is resumed.");
  },
  "schedules delete": async ({ client, output, flags, ...invocation }) => {
    const id = word(invocation, 0);
    await client.schedules.get(id);
    await confirm(`delete the schedule ${plain(id)}`, flags);
    await client.schedules.delete(id);
    output.done("The schedule is deleted.");
  },
};

function scheduleOf(invocation: Invocation): NewSchedule {
  const { flags } = invocation;
  const { notBefore: _, deduplicationId: __, ...settings } = messageSettings(flags);
  return {
    ...settings,
    destination: word(invocation, 0),
    cron: word(invocation, 1),
    scheduleId: flags.text("id"),
    queueName: flags.text("through"),
    body: bodyOf(flags),
  };
}

function scheduleText(schedule: Schedule, times: readonly Date[]): string {
  const states = Object.entries(schedule.lastScheduleStates ?? {});
  const facts = factLines({
    schedule: schedule.scheduleId,
    cron: schedule.cron,
    state: schedule.isPaused ? "paused" : "active",
    "sent to": `${schedule.method} ${schedule.destination}`,
    queue: schedule.queueName,
    last: timeText(schedule.lastScheduleTime),
    "last messages": states.map(([id, state]) => `${id} ${state}`).join(", "),
    failed: schedule.error,
    missed: schedule.skipped === undefined ? undefined : `${schedule.skipped.count} ticks`,
  });
  return [facts, "next", ...times.map((time) => `  ${timeText(time.getTime())}`)].join("\n");
}

const SCHEDULES: Columns<Schedule> = {
  SCHEDULE: ({ scheduleId }) => scheduleId,
  CRON: ({ cron }) => cron,
  STATE: ({ isPaused, error }) => (isPaused ? "paused" : error === undefined ? "active" : "failed"),
  NEXT: ({ nextScheduleTime }) => timeText(nextScheduleTime),
  "SENT TO": ({ destination }) => destination,
};
