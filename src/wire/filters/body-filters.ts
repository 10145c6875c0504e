import { invalidRequest } from "../headers/header-value.ts";
import { isJsonObject, readJson, requireMembers } from "../json/json.ts";
import { inlineObject, list, type Schema, text } from "../json/schema.ts";
import {
  type ParameterRow,
  readValues,
  requireStorable,
  type Values,
  VALUES_MAX,
} from "./filter-parameters.ts";

export const FILTER_BODY_BYTES_MAX = 262_144;

export interface GivenFilters {
  readonly values: Values;
  readonly hasBody: boolean;
}

/**
 * The filters of a bulk request, in its query, its body or both. An unknown name is refused, since
 * ignoring it would affect more than intended. Only the list of `ids` may be empty.
 */
export function readGivenFilters(
  query: string,
  body: Uint8Array,
  rows: readonly ParameterRow[],
  ids: string,
): GivenFilters {
  const values = new Map(readValues(query, rows, "strict"));
  const hasBody = body.byteLength > 0;
  if (!hasBody) return { values, hasBody };
  for (const [field, given] of readBody(body, rows, ids)) {
    if (values.has(field)) throw invalidRequest(`${field}: is given in the query and in the body`);
    values.set(field, given);
  }
  return { values, hasBody };
}

/** The form of such a body. */
export function filterBody(rows: readonly ParameterRow[]): Schema {
  const documented = rows.flatMap(({ name, splits, says, value = text() }) =>
    says === undefined
      ? []
      : [
          [
            name,
            splits === "single" ? { ...value, description: says } : list(value, says),
          ] as const,
        ],
  );
  return inlineObject({}, Object.fromEntries(documented));
}

/** The names of the query as members of an object, each with one value or an array of them. */
function readBody(body: Uint8Array, rows: readonly ParameterRow[], ids: string): Values {
  const filters = readJson(body, FILTER_BODY_BYTES_MAX);
  if (!isJsonObject(filters)) throw invalidRequest("body: must be an object of filters");
  requireMembers(
    filters,
    rows.map(({ name }) => name),
  );
  const values = new Map<string, readonly string[]>();
  for (const row of rows) {
    if (!Object.hasOwn(filters, row.name)) continue;
    const given = readMember(row, filters[row.name]);
    if (given.length === 0 && row.name !== ids) throw invalidRequest(`${row.name}: is empty`);
    if (values.has(row.field)) throw invalidRequest(`${row.name}: is given twice`);
    values.set(row.field, given);
  }
  return values;
}

function readMember(row: ParameterRow, value: unknown): readonly string[] {
  const { name, splits } = row;
  if (splits === "single") {
    if (!["string", "number", "boolean"].includes(typeof value) || value === "") {
      throw invalidRequest(`${name}: must be one value`);
    }
    return [String(value)];
  }
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length > VALUES_MAX)
    throw invalidRequest(`${name}: has more than ${VALUES_MAX} values`);
  return given.map((one) => {
    if (typeof one !== "string" || one === "") {
      throw invalidRequest(`${name}: must be a text or an array of texts`);
    }
    requireStorable(row, one);
    return one;
  });
}
