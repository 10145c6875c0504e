import type { AddressFilter } from "../../core/model/message/log-filter.ts";
import { readGivenFilters } from "../filters/body-filters.ts";
import type { ParameterRow } from "../filters/filter-parameters.ts";
import { integer, MESSAGE_ROWS, messageFilter, type Values } from "../filters/filters.ts";
import { refusal } from "../headers/header-value.ts";

/** `@upstash/qstash` sends it when its caller gave no count, and promises that all are canceled. */
const COUNT_OF_ALL = 100;
const NOT_OFFERED: readonly string[] = ["messageId", "messageIds", "order", "cursor"];

/** The filters of messages that have not ended. */
export const LIVE_ROWS: readonly ParameterRow[] = [
  {
    name: "messageIds",
    field: "messageId",
    splits: "everywhere",
    says: "Only these messages. The other filters are then ignored.",
  },
  ...MESSAGE_ROWS.filter(({ name }) => !NOT_OFFERED.includes(name)),
  { name: "host", field: "host", splits: "everywhere", says: "Only to these hosts." },
  { name: "path", field: "path", splits: "bare", says: "Only to these paths." },
];

/** Which messages to cancel. */
export interface CancelQuery {
  readonly filter: AddressFilter;
  /** Null for all that match. */
  readonly count: number | null;
}

/**
 * Which messages a bulk cancellation means; all of them when the filter is open. With ids, the
 * other filters and the count are ignored.
 */
export function readCancelQuery(query: string, body: Uint8Array): CancelQuery {
  const { values } = readGivenFilters(query, body, LIVE_ROWS, "messageIds");
  const count = integer(values, "count") ?? COUNT_OF_ALL;
  if (count < 1) throw refusal("count: must be at least 1");
  const { messageIds, ...others } = liveFilter(values);
  // A client without ids means every message, and sends an empty list.
  if (messageIds !== undefined && messageIds.length > 0)
    return { filter: { messageIds }, count: null };
  return { filter: others, count: count === COUNT_OF_ALL ? null : count };
}

export function liveFilter(values: Values): AddressFilter {
  return { ...messageFilter(values), hosts: values.get("host"), paths: values.get("path") };
}
