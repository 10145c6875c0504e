import { prefixed } from "../../core/model/message/dialect.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { readParameters, single } from "../filters/filter-parameters.ts";
import { type Aliases, readHeaders } from "../headers/header-reading.ts";
import { naming, parseId, parsePositiveInteger, refusal } from "../headers/header-value.ts";
import { integer } from "../json/schema.ts";
import { optionsOf, type PublishDefaults } from "../message/publish.ts";

/** The request to create a schedule. */
export interface ScheduleRequest {
  readonly cron: string;
  /** Null when one is to be generated. */
  readonly scheduleId: string | null;
  readonly queueName: string | undefined;
  readonly options: PublishOptions;
}

export function readScheduleRequest(
  rawHeaders: readonly string[],
  aliases: Aliases,
  defaults: PublishDefaults,
): ScheduleRequest {
  const reading = readHeaders(rawHeaders, aliases, defaults.groupHeaders ?? [], "schedule");
  const options = optionsOf(reading, rawHeaders, defaults);
  const { cron, scheduleId, queueName } = reading.draft;
  if (cron === undefined) {
    const [name] = prefixed(options.dialect, "Cron", "")[0]!;
    throw refusal(`${name}: must be given`);
  }
  return { cron, scheduleId: scheduleId ?? null, queueName, options };
}

/** Where a list of schedules begins, and its largest size. */
export interface ScheduleListQuery {
  readonly after: string;
  readonly count: number | null;
}

export function readScheduleListQuery(query: string): ScheduleListQuery {
  const values = readParameters(query, SCHEDULE_LIST_ROWS, "lenient");
  const after = values.get("after")?.[0];
  const count = values.get("count")?.[0];
  return {
    after: after === undefined ? "" : naming("after", () => parseId(after)),
    count: count === undefined ? null : naming("count", () => parsePositiveInteger(count)),
  };
}

export const SCHEDULE_LIST_ROWS = [
  single("after", "The last id of the page before."),
  single("count", "How many at most.", integer()),
];
