import { prefixed } from "../../core/model/message/dialect.ts";
import type { PublishOptions } from "../../core/model/message/publish-options.ts";
import { countUpTo, readParameters, single } from "../filters/filter-parameters.ts";
import { type Aliases, readHeaders } from "../headers/header-reading.ts";
import { invalidRequest } from "../headers/header-value.ts";
import { integer, text } from "../json/schema.ts";
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

/** An expression to try, and how many of its instants to show. */
export interface CronPreview {
  readonly cron: Cron;
  readonly count: number;
}

export function readCronPreview(query: string): CronPreview {
  const { cron, count = PREVIEW_DEFAULT } = readParameters(query, CRON_PREVIEW_ROWS);
  if (cron === undefined) throw invalidRequest("cron: must be given");
  return { cron, count };
}

const PREVIEW_DEFAULT = 5;
export const CRON_PREVIEW_ROWS = [
  {
    ...single("cron", "The expression.", text(undefined, "0 9 * * 1-5"), readCron),
    isRequired: true,
  },
  single("count", "How many times, at most 100. Default: 5.", integer(), countUpTo(100)),
];
