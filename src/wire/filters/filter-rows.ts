import { choice, flag, integer } from "../json/schema.ts";
import { type ParameterRow, single } from "./filter-parameters.ts";

/** Parameters that several lists and bulk calls have. */

export const FROM_DATE = single("fromDate", "Not before. Unix milliseconds.", integer());
export const TO_DATE = single("toDate", "Not after. Unix milliseconds.", integer());
export const COUNT = single("count", "How many at most.", integer());
export const CURSOR_ROW = single("cursor", "The `cursor` of the page before.");
export const ORDER = single(
  "order",
  "Newest or oldest first.",
  choice(["latestFirst", "earliestFirst"]),
);
export const LABEL: ParameterRow = {
  name: "label",
  field: "label",
  splits: "everywhere",
  says: "Only with one of these labels.",
};
export const FLOW_CONTROL_KEY: ParameterRow = {
  name: "flowControlKey",
  field: "flowControlKey",
  splits: "bare",
  says: "Only under these flow-control keys.",
};
/** In both spellings. */
export const callerIpRows = (says: string): readonly ParameterRow[] => [
  { name: "callerIp", field: "callerIp", splits: "everywhere", says },
  { name: "callerIP", field: "callerIp", splits: "everywhere" },
];
export const RESPONSE_STATUS: ParameterRow = {
  name: "responseStatus",
  field: "responseStatus",
  splits: "everywhere",
  says: "Only with these statuses of the last answer; 0 for no answer.",
  value: integer(),
};
export const ERROR = single("error", "Only with this last error.");
export const CAUSE = single("cause", "Only with this cause, as `/v2/dlq/groups` names it.");

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
