import { choice, flag, integer } from "../json/schema.ts";
import { prefixErrors, parseInteger } from "../headers/header-value.ts";
import { type ParameterRow, several, single } from "./filter-parameters.ts";

/** Parameters that several lists and bulk calls have. */

export const FROM_DATE = date("fromDate", "fromAt", "Not before. Unix milliseconds.");
export const TO_DATE = date("toDate", "toAt", "Not after. Unix milliseconds.");
export const COUNT = single("count", "How many at most.", integer());
export const CURSOR_ROW = single("cursor", "The `cursor` of the page before.");
export const ORDER = single(
  "order",
  "Newest or oldest first.",
  choice(["latestFirst", "earliestFirst"]),
);
export const LABEL = several("label", "labels", "Only with one of these labels.");
export const FLOW_CONTROL_KEY = several(
  "flowControlKey",
  "flowControlKeys",
  "Only under these flow-control keys.",
  { splits: "bare" },
);
export const HOST = several("host", "hosts", "Only to these hosts.");
export const PATH = several("path", "paths", "Only to these paths.", { splits: "bare" });
export const dlqIds = (what: string): ParameterRow =>
  several("dlqIds", "deadLetterIds", `Only these ${what}. The other filters are then ignored.`);
/** In both spellings. */
export const callerIpRows = (says: string): readonly ParameterRow[] => [
  several("callerIp", "callerIps", says),
  { name: "callerIP", field: "callerIp", splits: "everywhere" },
];
export const RESPONSE_STATUS = integers(
  "responseStatus",
  "statuses",
  "Only with these statuses of the last answer; 0 for no answer.",
);
export const ERROR = several("error", "errors", "Only with this last error.", { splits: "single" });
export const CAUSE = several(
  "cause",
  "causes",
  "Only with this cause, as `/v2/dlq/groups` names it.",
  {
    splits: "single",
  },
);

/** Parameters of each list of runs. */
export const WORKFLOW_URL = several(
  "workflowUrl",
  "workflowUrls",
  "Only of workflows at these URLs.",
  { splits: "urls" },
);
export const WORKFLOW_RUN_ID = several("workflowRunId", "runIds", "Only of these runs.");
export const WORKFLOW_CREATED_AT = integers(
  "workflowCreatedAt",
  "createdAts",
  "Only of runs that started at these instants.",
);
export const RUN_CALLER_IP = callerIpRows("Only started from these addresses.");

/** A parameter of every bulk call. */
export const DRY_RUN_ROW = single(
  "dryRun",
  "With `true` nothing is changed: the answer is how many would be.",
  flag(),
);

/** A parameter of those bulk calls that send something again. */
export const OVER_ROW = single(
  "over",
  "Spreads what is started evenly over this time, such as `10m`; at most `1d`.",
);

type Member = NonNullable<ParameterRow["filter"]>;

function date(name: string, filter: Member, says: string): ParameterRow {
  return { ...integers(name, filter, says, ([at]) => at), splits: "single" };
}

/** A filter by whole numbers. */
function integers(
  name: string,
  filter: Member,
  says: string,
  of = (numbers: readonly number[]): unknown => numbers,
): ParameterRow {
  const number = (text: string): number => prefixErrors(name, () => parseInteger(text));
  return several(name, filter, says, { value: integer(), read: (texts) => of(texts.map(number)) });
}
