import { prefixed } from "../../core/model/message/dialect.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { readParameters, single } from "../filters/filter-parameters.ts";
import { type Aliases, readHeaders } from "../headers/header-reading.ts";
import {
  prefixErrors,
  parseId,
  parsePositiveInteger,
  invalidRequest,
} from "../headers/header-value.ts";
import { integer, text } from "../json/schema.ts";
import { integerIn } from "../filters/filters.ts";
import { type Cron, readCron } from "../../core/policy/cron/cron.ts";
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
    throw invalidRequest(`${name}: must be given`);
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
    after: after === undefined ? "" : prefixErrors("after", () => parseId(after)),
    count: count === undefined ? null : prefixErrors("count", () => parsePositiveInteger(count)),
  };
}

export const SCHEDULE_LIST_ROWS = [
  single("after", "The last id of the page before."),
  single("count", "How many at most.", integer()),
];

/** An expression to try, and how many of its instants to show. */
export interface CronPreview {
  readonly cron: Cron;
  readonly count: number;
}

export function readCronPreview(query: string): CronPreview {
  const values = readParameters(query, CRON_PREVIEW_ROWS, "strict");
  const given = values.get("cron")?.[0];
  if (given === undefined) throw invalidRequest("cron: must be given");
  const count = integerIn(values, "count") ?? COUNT_DEFAULT;
  if (count < 1 || count > COUNT_MAX) throw invalidRequest(`count: must be from 1 to ${COUNT_MAX}`);
  return { cron: prefixErrors("cron", () => readCron(given)), count };
}

export const CRON_PREVIEW_ROWS = [
  { ...single("cron", "The expression.", text(undefined, "0 9 * * 1-5")), isRequired: true },
  single("count", "How many times, at most 100. Default: 5.", integer()),
];
const COUNT_DEFAULT = 5;
const COUNT_MAX = 100;
