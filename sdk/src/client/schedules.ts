import { Page } from "../page.ts";
import { type OptionNames, requireKnown } from "../option-names.ts";
import {
  MESSAGE_SETTINGS,
  type MessageSettings,
  settingHeaders,
  withoutAbsent,
} from "../settings.ts";
import { segment, type Transport } from "../transport.ts";
import { LIST_OPTIONS, type ListOptions } from "./filters.ts";
import { drawCallId } from "./once.ts";
import type { PublishAnswer } from "./publish.ts";
import type { CreatedSchedule, CronTimes, Schedule } from "../answers/schedule.ts";
import type { BodyInput, HeadersInput } from "../web-types.ts";

export interface NewSchedule extends Omit<MessageSettings, "notBefore"> {
  /** A URL, or the name of a URL group. */
  readonly destination: string;
  /** Five fields, or a word such as `@daily`; `CRON_TZ=Europe/Paris ` before them sets the zone. */
  readonly cron: string;
  /** An existing schedule with this id is replaced. */
  readonly scheduleId?: string | undefined;
  readonly queueName?: string | undefined;
  readonly body?: BodyInput | undefined;
}

/** Messages that are published repeatedly. */
export class Schedules {
  readonly #transport: Transport;
  readonly #headers: HeadersInput | undefined;

  constructor(transport: Transport, headers: HeadersInput | undefined) {
    this.#transport = transport;
    this.#headers = headers;
  }

  async create(schedule: NewSchedule): Promise<CreatedSchedule> {
    requireKnown("a schedule", schedule, NEW_SCHEDULE);
    // A repeated request replaces the schedule that the first one made.
    const drawn = this.#transport.deduplicates ? `scd_${drawCallId()}` : undefined;
    const headers = withoutAbsent({
      ...settingHeaders(schedule, this.#headers),
      "Svc-Cron": schedule.cron,
      "Svc-Schedule-Id": schedule.scheduleId ?? drawn,
      "Svc-Queue-Name": schedule.queueName,
    });
    const path = `/v2/schedules/${segment(schedule.destination)}`;
    return this.#transport.json({ method: "POST", path, headers, body: schedule.body });
  }

  get(scheduleId: string): Promise<Schedule> {
    return this.#transport.json({ method: "GET", path: pathOf(scheduleId) });
  }

  /** Schedules by their ids. */
  async list(options: ListOptions = {}): Promise<Page<Schedule>> {
    requireKnown("a list", options, LIST_OPTIONS);
    const { count, cursor } = options;
    const query = { count, after: cursor };
    const response = await this.#transport.send({ method: "GET", path: "/v2/schedules", query });
    const schedules = (await response.json()) as Schedule[];
    return new Page(schedules, cursorAfter(response), (next) => this.list({ count, cursor: next }));
  }

  async pause(scheduleId: string): Promise<void> {
    await this.#transport.send({ method: "POST", path: `${pathOf(scheduleId)}/pause` });
  }

  async resume(scheduleId: string): Promise<void> {
    await this.#transport.send({ method: "POST", path: `${pathOf(scheduleId)}/resume` });
  }

  /**
   * Publishes the schedule's message now; its next time does not change. The request is sent once,
   * since a second one would publish a second message.
   */
  runNow(scheduleId: string): Promise<PublishAnswer> {
    const path = `${pathOf(scheduleId)}/run`;
    return this.#transport.json({ method: "POST", path, isOnce: true });
  }

  /** When an expression would fire next. */
  async preview(cron: string, count = 5): Promise<Date[]> {
    const call = { method: "GET", path: "/v2/cron/preview", query: { cron, count } } as const;
    const { times } = await this.#transport.json<CronTimes>(call);
    return times.map((time) => new Date(time));
  }

  async delete(scheduleId: string): Promise<void> {
    await this.#transport.send({ method: "DELETE", path: pathOf(scheduleId) });
  }
}

const { notBefore: _, ...TICK_SETTINGS } = MESSAGE_SETTINGS;
const NEW_SCHEDULE: OptionNames<NewSchedule> = {
  ...TICK_SETTINGS,
  destination: true,
  cron: true,
  scheduleId: true,
  queueName: true,
  body: true,
};

/** A list of schedules names its next page in a header. */
function cursorAfter({ headers }: Response): string | undefined {
  const [, cursor] = /[?&]after=([^&>]+)>; rel="next"/.exec(headers.get("Link") ?? "") ?? [];
  return cursor;
}

function pathOf(scheduleId: string): string {
  return `/v2/schedules/${segment(scheduleId)}`;
}
