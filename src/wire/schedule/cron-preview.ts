import { naming, refusal } from "../headers/header-value.ts";
import { readParameters, single } from "../filters/filter-parameters.ts";
import { integerIn } from "../filters/filters.ts";
import { text, integer } from "../json/schema.ts";
import { type Cron, readCron } from "../../core/policy/cron/cron.ts";

/** An expression to try, and how many of its instants to show. */
export interface CronPreview {
  readonly cron: Cron;
  readonly count: number;
}

export function readCronPreview(query: string): CronPreview {
  const values = readParameters(query, CRON_PREVIEW_ROWS, "strict");
  const given = values.get("cron")?.[0];
  if (given === undefined) throw refusal("cron: must be given");
  const count = integerIn(values, "count") ?? COUNT_DEFAULT;
  if (count < 1 || count > COUNT_MAX) throw refusal(`count: must be from 1 to ${COUNT_MAX}`);
  return { cron: naming("cron", () => readCron(given)), count };
}

export const CRON_PREVIEW_ROWS = [
  { ...single("cron", "The expression.", text(undefined, "0 9 * * 1-5")), isRequired: true },
  single("count", "How many times, at most 100. Default: 5.", integer()),
];
const COUNT_DEFAULT = 5;
const COUNT_MAX = 100;
