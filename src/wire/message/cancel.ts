import type { AddressFilter } from "../../core/model/message/log-filter.ts";
import { readGivenFilters } from "../filters/body-filters.ts";
import { filterOf, type ParameterRow, several, type Values } from "../filters/filter-parameters.ts";
import { CURSOR_ROW, DRY_RUN_ROW, HOST, OVER_ROW, PATH } from "../filters/filter-rows.ts";
import { integerIn, isDryRun, MESSAGE_ROWS, overMsOf } from "../filters/filters.ts";
import { invalidRequest } from "../headers/header-value.ts";

/** `@upstash/qstash` sends it when its caller gave no count, and promises that all are canceled. */
const COUNT_OF_ALL = 100;
const NOT_OFFERED: readonly string[] = ["messageId", "messageIds", "order", "cursor"];

/** The filters of messages that have not ended. */
export const LIVE_ROWS: readonly ParameterRow[] = [
  several("messageIds", "messageIds", "Only these messages. The other filters are then ignored.", {
    field: "messageId",
  }),
  ...MESSAGE_ROWS.filter(({ name }) => !NOT_OFFERED.includes(name)),
  HOST,
  PATH,
];

export const CANCEL_ROWS: readonly ParameterRow[] = [...LIVE_ROWS, DRY_RUN_ROW];
export const SEND_NOW_ROWS: readonly ParameterRow[] = [
  ...LIVE_ROWS,
  CURSOR_ROW,
  OVER_ROW,
  DRY_RUN_ROW,
];

/** Which messages to cancel. */
export interface CancelQuery {
  readonly filter: AddressFilter;
  /** Null for all that match. */
  readonly count: number | null;
  readonly isDryRun: boolean;
}

/** Which waiting messages to make due. */
export interface SendNowQuery extends CancelQuery {
  /** Still sealed. */
  readonly cursor: string | null;
  /** Over how long they are spread; 0 when all are due at once. */
  readonly overMs: number;
}

/**
 * Which messages a bulk cancellation means; all of them when the filter is open. With ids, the
 * other filters and the count are ignored.
 */
export function readCancelQuery(query: string, body: Uint8Array): CancelQuery {
  const { values } = readGivenFilters(query, body, CANCEL_ROWS, "messageIds");
  const chosen = chosenIn(values);
  return { ...chosen, count: chosen.count === COUNT_OF_ALL ? null : chosen.count };
}

/** The same for messages that are to be sent now. */
export function readSendNowQuery(query: string, body: Uint8Array): SendNowQuery {
  const { values } = readGivenFilters(query, body, SEND_NOW_ROWS, "messageIds");
  return {
    ...chosenIn(values),
    cursor: values.get("cursor")?.[0] ?? null,
    overMs: overMsOf(values),
  };
}

function chosenIn(values: Values): CancelQuery {
  const count = integerIn(values, "count") ?? null;
  if (count !== null && count < 1) throw invalidRequest("count: must be at least 1");
  const dry = { isDryRun: isDryRun(values) };
  const { messageIds, ...others } = filterOf(values, LIVE_ROWS);
  // A client without ids means every message, and sends an empty list.
  if (messageIds !== undefined && messageIds.length > 0) {
    return { filter: { messageIds }, count: null, ...dry };
  }
  return { filter: others, count, ...dry };
}
