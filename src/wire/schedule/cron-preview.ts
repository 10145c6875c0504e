import { naming, refusal } from "../headers/header-value.ts";
import { readParameters } from "../filters/filter-parameters.ts";
import { integer } from "../filters/filters.ts";
import { type Cron, readCron } from "../../core/policy/cron/cron.ts";

/** An expression to try, and how many of its instants to show. */
export interface CronPreview {
  readonly cron: Cron;
  readonly count: number;
}

export function readCronPreview(query: string): CronPreview {
  const values = readParameters(query, PARAMETERS, "strict");
  const text = values.get("cron")?.[0];
  if (text === undefined) throw refusal("cron: must be given");
  const count = integer(values, "count") ?? COUNT_DEFAULT;
  if (count < 1 || count > COUNT_MAX) throw refusal(`count: must be from 1 to ${COUNT_MAX}`);
  return { cron: naming("cron", () => readCron(text)), count };
}

const PARAMETERS = [
  { name: "cron", field: "cron", splits: "single" },
  { name: "count", field: "count", splits: "single" },
] as const;
const COUNT_DEFAULT = 5;
const COUNT_MAX = 100;
