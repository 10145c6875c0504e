import type { AddressFilter } from "../../core/model/message/log-filter.ts";
import {
  type ParameterRow,
  readParameters,
  requireStorable,
} from "../filters/filter-parameters.ts";
import { integer, MESSAGE_ROWS, messageFilter, type Values } from "../filters/filters.ts";
import { refusal } from "../headers/header-value.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";

export const CANCEL_BODY_BYTES_MAX = 262_144;
const VALUES_MAX = 1_000;
/** `@upstash/qstash` sends it when its caller gave no count, and promises that all are canceled. */
const COUNT_OF_ALL = 100;
const NOT_OFFERED: readonly string[] = ["messageId", "order", "cursor"];

/** The filters of messages that have not ended. */
export const LIVE_ROWS: readonly ParameterRow[] = [
  ...MESSAGE_ROWS.filter(({ name }) => !NOT_OFFERED.includes(name)),
  { name: "host", field: "host", splits: "everywhere" },
  { name: "path", field: "path", splits: "bare" },
];

/** Which messages to cancel. */
export interface CancelQuery {
  readonly filter: AddressFilter;
  /** Null for all that match. */
  readonly count: number | null;
}

/**
 * Which messages a bulk cancellation means; all of them when the filter is open. With ids, the
 * other filters and the count are ignored. An unknown parameter is refused, since ignoring it would
 * affect more than intended.
 */
export function readCancelQuery(query: string, body: Uint8Array): CancelQuery {
  const values = new Map(readParameters(query, LIVE_ROWS, "strict"));
  for (const [field, added] of readBody(body)) {
    const known = values.get(field);
    if (known !== undefined) throw refusal(`${field}: is given in the query and in the body`);
    values.set(field, added);
  }
  const count = integer(values, "count") ?? COUNT_OF_ALL;
  if (count < 1) throw refusal("count: must be at least 1");
  const { messageIds, ...others } = liveFilter(values);
  if (messageIds !== undefined) return { filter: { messageIds }, count: null };
  return { filter: others, count: count === COUNT_OF_ALL ? null : count };
}

export function liveFilter(values: Values): AddressFilter {
  return { ...messageFilter(values), hosts: values.get("host"), paths: values.get("path") };
}

/** The same names as members of an object, each with one value or an array of them. */
function readBody(body: Uint8Array): Values {
  const values = new Map<string, readonly string[]>();
  if (body.byteLength === 0) return values;
  const filters = readJson(body, CANCEL_BODY_BYTES_MAX);
  if (!isJsonObject(filters)) throw refusal("body: must be an object of filters");
  requireMembers(
    filters,
    LIVE_ROWS.map(({ name }) => name),
    "body",
  );
  for (const row of LIVE_ROWS) {
    if (!Object.hasOwn(filters, row.name)) continue;
    const given = readValues(row, filters[row.name]);
    // A client without ids means every message, and sends an empty list.
    if (given.length === 0 && row.name === "messageIds") continue;
    if (given.length === 0) throw refusal(`${row.name}: is empty`);
    if (values.has(row.field)) throw refusal(`${row.name}: is given twice`);
    values.set(row.field, given);
  }
  return values;
}

function readValues(row: ParameterRow, value: unknown): readonly string[] {
  const { name, splits } = row;
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (splits === "single") {
    const [single] = given;
    if (Array.isArray(value) || (typeof single !== "string" && !Number.isInteger(single))) {
      throw refusal(`${name}: must be a whole number`);
    }
    return [String(single)];
  }
  if (given.length > VALUES_MAX) throw refusal(`${name}: has more than ${VALUES_MAX} values`);
  return given.map((text) => {
    if (typeof text !== "string" || text === "") {
      throw refusal(`${name}: must be a text or an array of texts`);
    }
    requireStorable(row, text);
    return text;
  });
}
